// What a command's help names is what the command takes, and nothing else: walks all commands and subcommands,
// and asks of each option in a help whether it is accepted, and of each that is accepted whether it is in the help.

import { describe, expect, it } from 'vitest';
import { COMMANDS, type Command } from '../../src/cli/commands.ts';
import { Completion, UsageError } from '../../src/cli/failure.ts';

/** Subcommands with options of their own, as they are called. */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  refs: ['verify', 'list', 'exists', 'optimize', 'create', 'delete', 'update', 'rename'],
  reflog: ['list', 'exists', 'delete', 'drop', 'expire', 'write'],
};

/** Commands that read their options themselves, as Git's do: what these take is tested with them. */
const READ_BY_THEMSELVES = new Set(['check-ref-format', 'refs', 'reflog']);

/** Older names for options that have new ones, which Git does not tell of either. */
const OLD_NAMES: Readonly<Record<string, readonly string[]>> = { 'show-ref': ['heads'] };

const NOT_AN_OPTION = 'no-option-at-all';

interface Called {
  command: Command;
  /** What stands before the options. */
  before: readonly string[];
  help: string;
}

async function find(name: string): Promise<Called> {
  const [first = '', ...before] = name.split(' ');
  const command = await COMMANDS.get(first)!.load();
  if (before.length === 0) return { command, before, help: command.help };
  const refused = await refusal({ command, before, help: '' }, [`--${NOT_AN_OPTION}`]);
  expect(refused).toBeInstanceOf(UsageError);
  return { command, before, help: (refused as UsageError).help! };
}

/** What the command throws for these arguments, none of which make it do anything. */
async function refusal({ command, before }: Called, args: readonly string[]): Promise<unknown> {
  try {
    return await command.run([...before, ...args]);
  } catch (error) {
    return error;
  }
}

/** Whether an option is known: if so, the first thing to be refused is what stands behind it and its value. */
async function isAccepted(called: Called, option: string): Promise<boolean> {
  const refused = await refusal(called, [option, 'value', `--${NOT_AN_OPTION}`]);
  expect(refused).toBeInstanceOf(UsageError);
  return (refused as UsageError).message === `unknown option \`${NOT_AN_OPTION}'`;
}

async function completions(called: Called): Promise<string[]> {
  const told = await refusal(called, ['--git-completion-helper']);
  expect(told).toBeInstanceOf(Completion);
  const words = (told as Completion).message.split(/\s+/);
  return words.slice(0, words.indexOf('--')).map((word) => word.replace(/=$/, ''));
}

/** The options that a help names: long ones without `no-` where that is in brackets, short ones with their dash. */
function optionsIn(help: string): string[] {
  const plain = help.replaceAll('--[no-]', '--');
  return [...new Set(plain.match(/(?<![\w-])(?:--[a-z][a-z-]*|-[a-zA-Z](?![\w-]))/g) ?? [])];
}

const ALL = [...COMMANDS.keys()].flatMap((name) => [
  ...(READ_BY_THEMSELVES.has(name) ? [] : [name]),
  ...(SUBCOMMANDS[name] ?? []).map((subcommand) => `${name} ${subcommand}`),
]);

describe('help', () => {
  it.each(ALL)('of %s names options that there are', async (name) => {
    const called = await find(name);
    const options = optionsIn(called.help);
    for (const option of options) {
      expect({ option, accepted: await isAccepted(called, option) }).toEqual({
        option,
        accepted: true,
      });
    }
  });

  it.each(ALL)('of %s names all options that there are', async (name) => {
    const called = await find(name);
    const old = (OLD_NAMES[name] ?? []).map((each) => `--${each}`);
    const named = new Set([...optionsIn(called.help), ...old]);
    const isNamed = (option: string) =>
      named.has(option) || named.has(option.replace(/^--/, '--no-'));
    expect((await completions(called)).filter((option) => !isNamed(option))).toEqual([]);
    const letters = [...'abcdefgijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const accepted: string[] = [];
    for (const letter of letters) {
      if (await isAccepted(called, `-${letter}`)) accepted.push(`-${letter}`);
    }
    expect(accepted.filter((option) => !named.has(option))).toEqual([]);
  });
});
