// Whether refs are forced to the disk: `core.fsync`, where somebody set it. Git's own default is not to;
// spec/durability.md says why ours is, and why `core.fsyncMethod` changes nothing.

import { badSetting, type Config, type ConfigEntry } from './config.ts';
import { environmentBoolean } from './config-environment.ts';

/** What `core.fsync` can name, and whether the refs are of it. */
const COMPONENTS: readonly [name: string, hasReferences: boolean][] = [
  ['loose-object', false],
  ['pack', false],
  ['pack-metadata', false],
  ['commit-graph', false],
  ['index', false],
  ['objects', false],
  ['reference', true],
  ['derived-metadata', false],
  ['committed', true],
  ['added', true],
  ['all', true],
];

/** Whether refs are synced: unless a setting, or Git's variable for tests, says they are not. */
export function syncsReferences(config: Config, env: Record<string, string | undefined>): boolean {
  if (!environmentBoolean(env, 'GIT_TEST_FSYNC', true)) return false;
  const entry = config.find('core.fsync');
  return entry === undefined || parseFsync(entry).references;
}

/**
 * Reads a value of `core.fsync`: components, separated by commas, which may be shortened, and taken out by a `-`
 * before them; `none` as the last, or alone, takes out what is in by default. Gives what Git warns of, too.
 * Throws `INVALID_CONFIG` for a setting without a value.
 */
export function parseFsync(entry: ConfigEntry): { references: boolean; warnings: string[] } {
  if (entry.value === null) throw badSetting(entry, `missing value for '${entry.key}'`);
  const warnings: string[] = [];
  const given = { default: true, positive: false, negative: false };
  let rest = entry.value;
  for (;;) {
    rest = rest.replace(/^[, \t\r\n]+/, '');
    if (rest === 'none') {
      given.default = false;
      break;
    }
    const comma = rest.indexOf(',');
    const word = comma === -1 ? rest : rest.slice(0, comma);
    const negated = word.startsWith('-');
    const component = negated ? word.slice(1) : word;
    if (negated && component === '') warnings.push(`invalid value for variable ${entry.key}`);
    if (component === '') break;
    const named = COMPONENTS.filter(([name]) => name.startsWith(component));
    if (named.length === 0) warnings.push(`ignoring unknown core.fsync component '${component}'`);
    if (named.some(([, hasReferences]) => hasReferences)) {
      given[negated ? 'negative' : 'positive'] = true;
    }
    rest = rest.slice(word.length);
  }
  return { references: given.positive || (given.default && !given.negative), warnings };
}
