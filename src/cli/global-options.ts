// The options before the command, which tell where it works and with which settings. As in Git they end up in
// the environment, so that what is started from here works there too.

import { systemReason } from '../storage/io-error.ts';
import { die, UsageError } from './failure.ts';

/** Options of Git's that say nothing about refs: taken, so that calls of Git need not be rewritten. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set([
  '-p',
  '--paginate',
  '-P',
  '--no-pager',
  '--no-advice',
  '--no-lazy-fetch',
  '--no-optional-locks',
  '--no-replace-objects',
  '--literal-pathspecs',
  '--no-literal-pathspecs',
  '--glob-pathspecs',
  '--noglob-pathspecs',
  '--icase-pathspecs',
]);

/** Carries out the options before the command and gives what comes behind them. */
export function applyGlobalOptions(args: readonly string[]): string[] {
  for (let at = 0; ; at++) {
    const arg = args[at] ?? '';
    const value = (complaint: string) => args[++at] ?? missing(complaint);
    const directory = () => value(`no directory given for '${arg}' option`);
    if (WITHOUT_MEANING.has(arg)) continue;
    if (arg === '-C') changeFolder(directory());
    else if (arg === '--git-dir') process.env.GIT_DIR = directory();
    else if (arg.startsWith('--git-dir=')) process.env.GIT_DIR = arg.slice('--git-dir='.length);
    else if (arg === '--work-tree') process.env.GIT_WORK_TREE = directory();
    else if (arg.startsWith('--work-tree=')) {
      process.env.GIT_WORK_TREE = arg.slice('--work-tree='.length);
    } else if (arg === '--bare') {
      process.env.GIT_DIR ??= process.cwd();
      process.env.GIT_IMPLICIT_WORK_TREE = '0';
    } else if (arg === '--namespace') {
      // Only what serves fetches and pushes looks at it.
      process.env.GIT_NAMESPACE = value('no namespace given for --namespace');
    } else if (arg.startsWith('--namespace=')) {
      process.env.GIT_NAMESPACE = arg.slice('--namespace='.length);
    } else if (arg === '-c') addSetting(value('-c expects a configuration string'));
    else if (arg === '--config-env') {
      addSettingFromVariable(value('no config key given for --config-env'));
    } else if (arg.startsWith('--config-env=')) {
      addSettingFromVariable(arg.slice('--config-env='.length));
    } else {
      return args.slice(at);
    }
  }
}

function missing(complaint: string): never {
  throw new UsageError(complaint, { prefix: '' });
}

function changeFolder(folder: string): void {
  try {
    if (folder !== '') process.chdir(folder);
  } catch (error) {
    die(`cannot change to '${folder}': ${systemReason(error)}`);
  }
}

/** `name=value`, or `name` for a boolean. The first `=` counts: values hold them rather than names do. */
function addSetting(setting: string): void {
  const equals = setting.indexOf('=');
  if (equals === -1) addParameter(setting, undefined);
  else addParameter(setting.slice(0, equals), setting.slice(equals + 1));
}

/** `name=VARIABLE`: the variable has the value, which the list of processes then does not show. */
function addSettingFromVariable(setting: string): void {
  const equals = setting.lastIndexOf('=');
  if (equals === -1) die(`invalid config format: ${setting}`);
  const name = setting.slice(0, equals);
  const variable = setting.slice(equals + 1);
  if (variable === '') {
    die(`missing environment variable name for configuration '${name}'`);
  }
  const value = process.env[variable];
  if (value === undefined) {
    die(`missing environment variable '${variable}' for configuration '${name}'`);
  }
  addParameter(name, value);
}

function addParameter(name: string, value: string | undefined): void {
  const before = process.env.GIT_CONFIG_PARAMETERS;
  const parameter = `${quote(name)}=${value === undefined ? '' : quote(value)}`;
  process.env.GIT_CONFIG_PARAMETERS = before ? `${before} ${parameter}` : parameter;
}

/** As a shell would read it, in the form that Git reads back. */
function quote(text: string): string {
  return `'${text.replace(/['!]/g, "'\\$&'")}'`;
}
