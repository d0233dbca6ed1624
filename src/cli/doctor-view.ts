// What `reftable doctor` found and did, for people.

import { dirname, relative } from 'node:path';
import type { StackExamination } from '../stack/examination/examination.ts';
import { type Finding, isProblem } from '../stack/examination/finding.ts';
import type { RepairReport } from '../stack/examination/repair.ts';
import { bold, dim, formatCount, plural, printable } from './text-layout.ts';

const INDENT = '    ';

/** What stands behind a heading: `left` is what is still found, `report` what was done about it before. */
export function drawDiagnosis(
  { location, list, tables }: StackExamination,
  left: readonly Finding[],
  report: RepairReport,
): string {
  const refs = tables.reduce((sum, { reading }) => sum + (reading?.refs ?? 0), 0);
  const logs = tables.reduce((sum, { reading }) => sum + (reading?.logs ?? 0), 0);
  const size =
    list.state === 'good'
      ? `${plural(tables.length, 'table')}, ${plural(refs, 'ref record')}, ${plural(logs, 'log record')}`
      : 'no list of tables that can be read';
  const shorten = (file: string) => printable(relative(dirname(location), file));
  const parts = [`${bold(printable(location))}  ${size}\n`];
  for (const { file, text } of report.done) {
    parts.push(`\n${bold('mended')}  ${shorten(file)}\n${INDENT}${printable(text)}\n`);
  }
  for (const { file, text } of report.failed) {
    parts.push(`\n${bold('failed')}  ${shorten(file)}\n${INDENT}${printable(text)}\n`);
  }
  for (const { severity, file, problem, meaning, remedy } of left) {
    const sentences = [problem, meaning, dim(printable(remedy))];
    const lines = sentences.map((text, i) => INDENT + (i < 2 ? printable(text) : text));
    parts.push(`\n${bold(severity)}  ${shorten(file)}\n${lines.join('\n')}\n`);
  }
  parts.push(`\n${summary(left, report)}\n`);
  return parts.join('');
}

function summary(left: readonly Finding[], { done, failed }: RepairReport): string {
  const problems = left.filter(isProblem);
  if (problems.length === 0) {
    if (failed.length > 0) return 'Nothing is left, but not all could be done.';
    if (done.length > 0) return 'All is mended.';
    return 'Nothing is wrong: the list, every record and every file were looked at.';
  }
  const [safe, forced] = ['safe', 'forced'].map(
    (mending) => problems.filter((each) => each.mending === mending).length,
  );
  const hints = [
    safe! > 0 ? `--fix mends ${formatCount(safe!)}` : '',
    forced! > 0 ? `--force-unlock removes ${plural(forced!, 'lock')}` : '',
  ].filter((hint) => hint !== '');
  const when = done.length > 0 ? 'Left' : 'Found';
  return `${when}: ${[plural(problems.length, 'problem'), ...hints].join('; ')}.`;
}
