// How Git spells booleans and integers, in configuration and in environment variables.

/**
 * Reads a boolean as Git does: `true`, `yes`, `on` and their opposites in any case, an integer (zero
 * is false), the empty string (false), or `null`, a key without a value (true). `undefined` for
 * anything else.
 */
export function parseConfigBoolean(value: string | null): boolean | undefined {
  if (value === null) return true;
  switch (value.toLowerCase()) {
    case 'true':
    case 'yes':
    case 'on':
      return true;
    case 'false':
    case 'no':
    case 'off':
    case '':
      return false;
  }
  const number = parseConfigInteger(value, -(2 ** 31), 2 ** 31 - 1);
  return typeof number === 'number' ? number !== 0 : undefined;
}

/**
 * Reads an integer as Git does: decimal, octal (`0…`) or hexadecimal (`0x…`), optionally times 1024
 * (`k`), 1024² (`m`) or 1024³ (`g`). What is no such integer, or lies outside `min` to `max`, gives
 * Git's word for it.
 */
export function parseConfigInteger(
  value: string,
  min: number | bigint,
  max: number | bigint,
): number | 'invalid unit' | 'out of range' {
  const match = /^[ \t\n\v\f\r]*([+-]?)(0x[0-9a-f]+|0[0-7]*|[1-9][0-9]*)([kmg]?)$/i.exec(value);
  if (match === null) return 'invalid unit';
  const [, sign, digits, unit] = match as unknown as [string, string, string, string];
  // Git reads what cannot be negative with an unsigned parser, which does not know the sign.
  if (sign === '-' && min >= 0) return 'invalid unit';
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits}` : digits) * unitFactor(unit);
  const number = sign === '-' ? -magnitude : magnitude;
  return number < BigInt(min) || number > BigInt(max) ? 'out of range' : Number(number);
}

function unitFactor(unit: string): bigint {
  switch (unit.toLowerCase()) {
    case 'k':
      return 1024n;
    case 'm':
      return 1024n ** 2n;
    case 'g':
      return 1024n ** 3n;
    default:
      return 1n;
  }
}
