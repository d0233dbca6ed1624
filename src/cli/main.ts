// The command line: what holds for all commands, then the one that is called.

import manifest from '../../package.json' with { type: 'json' };
import { systemReason } from '../storage/io-error.ts';
import { COMMANDS, type Command } from './commands.ts';
import { die, Failure, UsageError } from './failure.ts';
import { stdout, writeError } from './output.ts';

const USAGE = `usage: reftable [-C <folder>] [--git-dir <folder>] <command> [<args>]
   or: reftable help [<command>]
   or: reftable --version
`;

const USAGE_EXIT_CODE = 129;

main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});

async function main(args: string[]): Promise<number> {
  const exitCode = await runCommand(args);
  try {
    stdout.flush();
  } catch (error) {
    // What was printed has gone nowhere: a full disk, say.
    return report(error, '');
  }
  return exitCode;
}

async function runCommand(args: string[]): Promise<number> {
  let command: Command | undefined;
  try {
    const [name, ...rest] = applyGlobalOptions(args);
    if (name === undefined) throw new UsageError();
    if (name === '--version' || name === '-v') {
      stdout.write(`reftable version ${manifest.version}\n`);
    } else if (name === '--help' || name === '-h' || name === 'help') {
      stdout.write(rest[0] === undefined ? overview() : (await loadCommand(rest[0])).help);
    } else {
      command = await loadCommand(name);
      // As in Git, `-h` asks for help only where it stands alone: it may be an option of the command.
      const asksForHelp = rest[0] === '--help' || (rest.length === 1 && rest[0] === '-h');
      if (!asksForHelp) return await command.run(rest);
      stdout.write(command.help);
    }
    return 0;
  } catch (error) {
    return report(error, command?.help ?? overview());
  }
}

/** Carries out the options before the command and gives what comes behind them. */
function applyGlobalOptions(args: string[]): string[] {
  for (let at = 0; ; at++) {
    const arg = args[at];
    if (arg === '-C') {
      const folder = args[++at];
      if (folder === undefined) throw new UsageError("no directory given for '-C'");
      changeFolder(folder);
    } else if (arg === '--git-dir') {
      const folder = args[++at];
      if (folder === undefined) throw new UsageError("no directory given for '--git-dir'");
      process.env.GIT_DIR = folder;
    } else if (arg?.startsWith('--git-dir=')) {
      process.env.GIT_DIR = arg.slice('--git-dir='.length);
    } else {
      return args.slice(at);
    }
  }
}

function changeFolder(folder: string): void {
  try {
    if (folder !== '') process.chdir(folder);
  } catch (error) {
    die(`cannot change to '${folder}': ${systemReason(error)}`);
  }
}

async function loadCommand(name: string): Promise<Command> {
  const entry = COMMANDS.get(name);
  if (entry !== undefined) return entry.load();
  const kind = name.startsWith('-') ? 'unknown option' : 'unknown command';
  throw new UsageError(`${kind}: ${name}`);
}

/** Tells what went wrong and gives the exit code. */
function report(error: unknown, help: string): number {
  if (error instanceof UsageError) {
    const message = error.message === '' ? '' : `error: ${error.message}\n`;
    writeError(error.showsHelp ? message + help : message);
    return USAGE_EXIT_CODE;
  }
  if (error instanceof Failure) {
    writeError(`${error.kind}: ${error.message}\n`);
    return error.exitCode;
  }
  writeError(`fatal: ${error instanceof Error ? error.message : String(error)}\n`);
  return 128;
}

function overview(): string {
  const width = Math.max(...[...COMMANDS.keys()].map((name) => name.length));
  const lines = [...COMMANDS].map(
    ([name, { summary }]) => `    ${name.padEnd(width)}   ${summary}\n`,
  );
  return `${USAGE}\nReads and writes Git's reftable stacks.\n\n${lines.join('')}
    -C <folder>          work as if started there
    --git-dir <folder>   the repository itself (.git)\n`;
}
