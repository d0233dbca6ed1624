// When the entries of which log expire: what the options say, else the settings for the ref's name, else those for
// all, else 90 days, and 30 for what the ref does not lead to any more.

import { encodeText } from '../../format/text.ts';
import { Glob } from '../../glob.ts';
import { parseExpiryDate } from '../../reflog/approximate-date.ts';
import { badSetting, type Config, type ConfigEntry } from '../../repository/config.ts';

const DAY = 24 * 3600;

/** Entries that are older go; seconds since the epoch. */
export interface ExpiryLimits {
  /** Whatever they tell of. */
  total: number;
  /** If they tell of what cannot be reached any more. */
  unreachable: number;
}

interface PatternLimits extends ExpiryLimits {
  pattern: string;
}

const SETTING = /^gc\.(?:(.*)\.)?reflogexpire(unreachable)?$/s;

/**
 * How long entries of a ref of that name are kept. `given` is what options say; `now` is in seconds since the epoch.
 * Throws `INVALID_CONFIG`.
 */
export function expiryLimits(
  config: Config,
  given: Partial<ExpiryLimits>,
  now: number,
): (name: string) => ExpiryLimits {
  const byDefault = { total: now - 90 * DAY, unreachable: now - 30 * DAY };
  const patterns: PatternLimits[] = [];
  for (const entry of config.entries) {
    const match = SETTING.exec(entry.key);
    if (match === null) continue;
    const [, pattern, unreachable] = match;
    const limit = readLimit(entry, now);
    let limits: ExpiryLimits | undefined = byDefault;
    if (pattern !== undefined) {
      limits = patterns.find((each) => each.pattern === pattern);
      if (limits === undefined) {
        // Where one of the two is set, the other is no default, but never.
        const added = { pattern, total: 0, unreachable: 0 };
        patterns.push(added);
        limits = added;
      }
    }
    limits[unreachable === undefined ? 'total' : 'unreachable'] = limit;
  }
  return (name) => {
    const isMatch = ({ pattern }: PatternLimits) =>
      Glob.compile(encodeText(pattern), { crossesFolders: true })?.matches(encodeText(name)) ===
      true;
    const { total, unreachable } = patterns.find(isMatch) ?? ofName(name, byDefault);
    return { total, unreachable, ...given };
  };
}

/** A stash is nothing but its log. */
function ofName(name: string, byDefault: ExpiryLimits): ExpiryLimits {
  return name === 'refs/stash' ? { total: 0, unreachable: 0 } : byDefault;
}

function readLimit(entry: ConfigEntry, now: number): number {
  const { key, value } = entry;
  if (value === null) throw badSetting(entry, `missing value for '${key}'`);
  const limit = parseExpiryDate(value, now);
  if (limit === undefined) {
    throw badSetting(entry, `'${value}' for '${key}' is not a valid timestamp`);
  }
  return limit;
}
