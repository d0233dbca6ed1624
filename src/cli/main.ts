// The command line: what holds for all commands, then the one that is called.

import manifest from '../../package.json' with { type: 'json' };
import { RefError } from '../errors.ts';
import { COMMANDS, type Command, type CommandEntry } from './commands.ts';
import { Completion, Failure, HelpRequest, UsageError } from './failure.ts';
import { applyGlobalOptions } from './global-options.ts';
import { stdout, writeError } from './output.ts';
import { processArguments } from './process-arguments.ts';

const USAGE = `usage: reftable [-C <folder>] [-c <name>=<value>] [--git-dir=<folder>] [--work-tree=<folder>]
                [--bare] [--config-env=<name>=<variable>] <command> [<args>]
   or: reftable help [<command>]
   or: reftable --version
`;

const USAGE_EXIT_CODE = 129;

main(processArguments()).then((exitCode) => {
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
  let help = overview;
  try {
    const [name, ...rest] = applyGlobalOptions(args);
    if (name === undefined) throw new UsageError();
    if (name === '--version' || name === '-v') {
      stdout.write(`reftable version ${manifest.version}\n`);
    } else if (name === '--help' || name === '-h' || name === 'help') {
      stdout.write(rest[0] === undefined ? overview() : (await findCommand(rest[0]).load()).help);
    } else {
      const { load, needsRepository = false } = findCommand(name);
      const command = await load();
      help = () => command.help;
      if (rest[0] !== '--help') {
        return await (needsRepository ? runInRepository(command, rest) : command.run(rest));
      }
      stdout.write(command.help);
    }
    return 0;
  } catch (error) {
    return report(error, help());
  }
}

function findCommand(name: string): CommandEntry {
  const entry = COMMANDS.get(name);
  if (entry !== undefined) return entry;
  if (name.startsWith('-')) throw new UsageError(`unknown option: ${name}`, { prefix: '' });
  throw new UsageError(`unknown command: ${name}`);
}

/** Where there is no repository, that comes before what is wrong with the options. */
async function runInRepository(command: Command, args: readonly string[]): Promise<number> {
  try {
    return await command.run(args);
  } catch (error) {
    const asksForHelp = args.length === 1 && (args[0] === '-h' || args[0] === '--help-all');
    if (isMisuse(error) && !asksForHelp) (await import('./repository.ts')).openRepository();
    throw error;
  }
}

function isMisuse(error: unknown): boolean {
  if (error instanceof Failure) return error.kind === 'usage';
  return error instanceof UsageError || error instanceof HelpRequest;
}

/** Tells what went wrong and gives the exit code. */
function report(error: unknown, help: string): number {
  if (error instanceof Completion) {
    stdout.write(`${error.message}\n`);
    return 0;
  }
  if (error instanceof HelpRequest) {
    stdout.write(error.help ?? help);
    return USAGE_EXIT_CODE;
  }
  if (error instanceof UsageError) {
    const message = error.message === '' ? '' : `${error.prefix}${error.message}\n`;
    writeError(error.showsHelp ? message + (error.help ?? help) : message);
    return USAGE_EXIT_CODE;
  }
  if (error instanceof Failure) {
    writeError(`${error.kind}: ${error.message}\n`);
    return error.exitCode;
  }
  // What was wrong with a setting, before what cannot be done because of it.
  if (error instanceof RefError && error.cause instanceof RefError) {
    const kind = error.cause.code === 'IO' ? 'warning' : 'error';
    writeError(`${kind}: ${error.cause.message}\n`);
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
    -c <name>=<value>    a setting for this command; without =<value>, a boolean that is true
    --config-env=<name>=<variable>
                         the same, with the value of an environment variable
    --git-dir=<folder>   the repository itself (.git)
    --work-tree=<folder> the root of the work tree
    --bare               a repository without a work tree; where --git-dir is not given, this folder

Taken as by Git, without effect on refs: --namespace, --no-pager, --paginate, --no-advice, --no-lazy-fetch,
--no-optional-locks, --no-replace-objects, and those about pathspecs.\n`;
}
