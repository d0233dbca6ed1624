// Prints the closing line of .ci/run: what vitest's JSON report counts, and the checks as one more.
//   node .ci/count.mjs REPORT passed|failed STATUS
// STATUS is the exit code of the run so far: an error outside any test shows only there.
// Exits with 1 unless everything has passed and nothing was skipped.

import { readFileSync } from 'node:fs';

const [file, checks, status] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8') || '{"testResults":[]}');

const counts = { passed: 0, failed: 0, skipped: 0 };
counts[checks] += 1;
for (const { status: ofFile, assertionResults } of report.testResults) {
  // A file that could not be loaded fails without having a test.
  const ownFailure = ofFile === 'failed' && !assertionResults.some((it) => it.status === 'failed');
  if (ownFailure) counts.failed += 1;
  for (const result of assertionResults) {
    counts[result.status in counts ? result.status : 'skipped'] += 1;
  }
}
if (report.testResults.length === 0 || (status !== '0' && counts.failed === 0)) counts.failed += 1;

const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exit(counts.failed + counts.skipped > 0 ? 1 : 0);
