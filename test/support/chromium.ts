// A real browser for tests of pages: REFTABLE_TEST_CHROMIUM, else `chromium` on the PATH.

import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';
import { describeWith } from './wanted.ts';

const ADVICE = 'Set REFTABLE_TEST_CHROMIUM, or install chromium.';

const executable = findChromium();

/** Starts the browser. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/**
 * `describe`, for tests that need the browser. Without one they are skipped and a line says so; where
 * REFTABLE_REQUIRE_CHROMIUM is 1 they fail instead.
 */
export function describeWithBrowser(name: string, fn: () => void): void {
  const isThere = executable !== undefined;
  const requiredBy = 'REFTABLE_REQUIRE_CHROMIUM';
  describeWith({ isThere, what: 'browser', requiredBy, advice: ADVICE }, name, fn);
}

function findChromium(): string | undefined {
  const candidate = process.env.REFTABLE_TEST_CHROMIUM || 'chromium';
  const { stdout } = spawnSync('sh', ['-c', `command -v "${candidate}"`], { encoding: 'utf8' });
  return stdout.trim() || undefined;
}
