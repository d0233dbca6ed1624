// `reftable explore`: what crashes of this library's own operations leave, explored in memory.

import {
  type ExplorationOptions,
  explore,
  type Loss,
  MUTATIONS,
  type OperationReport,
  replay,
  SUBJECTS,
} from '../../lab/index.ts';
import { parseArguments } from '../arguments.ts';
import { die, UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { stdoutIsTerminal } from '../terminal.ts';
import { columns, formatCount, plural } from '../text-layout.ts';

/** Names for the help, in lines of their own. */
function listed(names: Iterable<string>): string {
  const text = [...names].join(', ');
  return text.replace(/(.{1,70})(?:, |$)/g, (_, line) => `${' '.repeat(26)}${line}\n`);
}

export const help = `usage: reftable explore [--operations=<name>,...] [--seed=<n>] [--states=<n>] [--processes=(2|3)]
                        [--mutate=<fault>] [--case=<case>] [--json]

    --operations=<name>,...
                          what to explore, of
${listed(SUBJECTS)}    --seed=<n>            another seed explores other states; default 1
    --states=<n>          how many distinct states of each operation, and interleavings;
                          default 2000
    --processes=(2|3)     how many processes are interleaved; default 2
    --mutate=<fault>      plants a fault in the library, to see that it is found; one of
${listed(MUTATIONS.keys())}    --case=<case>         looks at one case again, as a loss names it
    --json                for programs

Carries out each operation on a file system in memory, and opens what a killed process or a power
failure may leave after each of its calls: is it readable, does it hold what was acknowledged, and
nothing that was not asked for, and can the next one write? Interleavings are of processes that write
at the same time. No file is touched. Exit code: 0 if nothing is lost, 1 if something is.
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    operations: { takes: 'text' },
    seed: { takes: 'text' },
    states: { takes: 'text' },
    processes: { takes: 'text' },
    mutate: { takes: 'text' },
    case: { takes: 'text' },
    json: {},
  });
  if (operands.length > 0) throw new UsageError();
  const seed = numberOf('seed', options.seed) ?? 1;
  const mutation = oneOf('mutate', options.mutate, [...MUTATIONS.keys()]);
  const processes = oneOf('processes', options.processes, ['2', '3']) === '3' ? 3 : 2;
  const asJson = options.json === true;
  if (options.case !== undefined) {
    const found = await replay(options.case, { seed, mutation, processes });
    if (found === undefined) return die(`no case '${options.case}' with seed ${seed}`);
    const loss = found === 'sound' ? undefined : found;
    if (asJson) stdout.write(`${JSON.stringify({ case: options.case, seed, loss }, null, 2)}\n`);
    else stdout.write(loss === undefined ? `${options.case}: nothing is lost\n` : drawLoss(loss));
    return loss === undefined ? 0 : 1;
  }
  const operations = options.operations?.split(',');
  for (const name of operations ?? []) oneOf('operations', name, SUBJECTS);
  const states = numberOf('states', options.states);
  const reports = await exploreAll({ operations, seed, states, mutation, processes });
  const simplest = reports.flatMap(({ simplest }) => simplest ?? []).sort(byCalls)[0];
  if (asJson) {
    stdout.write(`${JSON.stringify({ seed, mutation, operations: reports }, null, 2)}\n`);
  } else {
    stdout.write(drawReports(reports, seed));
    if (simplest !== undefined) {
      const how = [`--seed=${seed}`];
      if (processes === 3) how.push('--processes=3');
      if (mutation !== undefined) how.push(`--mutate=${mutation}`);
      stdout.write(`\n${drawLoss(simplest)}\n`);
      stdout.write(`again: reftable explore ${how.join(' ')} --case=${simplest.case}\n`);
    }
  }
  return simplest === undefined ? 0 : 1;
}

async function exploreAll(options: ExplorationOptions): Promise<OperationReport[]> {
  const reports: OperationReport[] = [];
  const showsProgress = stdoutIsTerminal();
  for await (const { isComplete, ...report } of explore(options)) {
    if (isComplete) reports.push(report);
    else if (showsProgress)
      stdout.write(`\r${report.operation}: ${plural(report.states, 'state')}`);
    if (!showsProgress) continue;
    if (isComplete) stdout.write('\r\x1b[K');
    stdout.flush();
  }
  return reports;
}

function drawReports(reports: readonly OperationReport[], seed: number): string {
  const sum = (count: (report: OperationReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const total = {
    operation: 'together',
    states: sum(({ states }) => states),
    byHand: sum(({ byHand }) => byHand),
    losses: sum(({ losses }) => losses),
  };
  const rows = [...reports, total].map(({ operation, states, byHand, losses }) => [
    operation,
    formatCount(states),
    formatCount(byHand),
    losses === 0 ? 'nothing is lost' : `LOST in ${plural(losses, 'case')}`,
  ]);
  const heading = ['operation', 'states', 'lock by hand', `verdict (seed ${seed})`];
  return columns([heading, ...rows], ['left', 'right', 'right', 'left']);
}

function drawLoss({ case: name, cause, calls, lost, fault }: Loss): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `${title}\n${lines.map((line) => `    ${line}\n`).join('')}`;
  return [
    section(`${name}: ${cause} after`, calls),
    section('of which the disk has not', lost),
    section('found', fault.split('\n')),
  ].join('');
}

function byCalls(a: Loss, b: Loss): number {
  return a.calls.length - b.calls.length || a.lost.length - b.lost.length;
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${option}: expected a number from 1 on, found '${text}'`);
}

function oneOf(
  option: string,
  name: string | undefined,
  known: readonly string[],
): string | undefined {
  if (name === undefined || known.includes(name)) return name;
  throw new UsageError(`--${option}: expected one of ${known.join(', ')}, found '${name}'`);
}
