// Folders for tests, which leave nothing behind.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

const ofTheFile: string[] = [];
afterAll(() => ofTheFile.splice(0).forEach(remove));

/**
 * Makes an empty folder and gives its real path. It is removed when the running test has finished,
 * or with the last test of the file where no test is running (in a hook).
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'reftable-test-'));
  if (TestRunner.getCurrentTest() === undefined) ofTheFile.push(folder);
  else onTestFinished(() => remove(folder));
  return folder;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
