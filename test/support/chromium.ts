// A real browser for tests of pages: REFTABLE_TEST_CHROMIUM, else `chromium` on the PATH.

import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';
import { describe, it } from 'vitest';

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
  if (executable !== undefined) {
    describe(name, fn);
  } else if (process.env.REFTABLE_REQUIRE_CHROMIUM === '1') {
    describe(name, () => {
      it('has a browser', () => {
        throw new Error(`REFTABLE_REQUIRE_CHROMIUM is 1, but there is no browser: ${ADVICE}`);
      });
    });
  } else {
    console.warn(`SKIPPED, no browser: "${name}". ${ADVICE}`);
    describe.skip(name, fn);
  }
}

function findChromium(): string | undefined {
  const candidate = process.env.REFTABLE_TEST_CHROMIUM || 'chromium';
  const { stdout } = spawnSync('sh', ['-c', `command -v "${candidate}"`], { encoding: 'utf8' });
  return stdout.trim() || undefined;
}
