// Colours as Git's configuration writes them (`bold red`, `#ff8000 black ul`), as the escape sequence that
// a terminal takes.

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** What each attribute's code is, and the one that takes it away. */
const ATTRIBUTES: Readonly<Record<string, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  ul: [4, 24],
  blink: [5, 25],
  reverse: [7, 27],
  strike: [9, 29],
};

const FOREGROUND = 30;
const BRIGHT_FOREGROUND = 90;
const TO_BACKGROUND = 10;
const EXTENDED = 38;

/** A colour for the foreground; the code for the background follows from it. */
type Color = 'normal' | { code: number; more: string };

/** The escape sequence for a colour, empty for an empty one; `undefined` if it is none. */
export function colorSequence(text: string): string | undefined {
  const words = text.split(/[ \t\n\r]+/).filter((word) => word !== '');
  const colors: Color[] = [];
  const attributes = new Set<number>();
  let resets = false;
  for (const word of words) {
    if (word.toLowerCase() === 'reset') {
      resets = true;
      continue;
    }
    const color = parseColor(word);
    if (color !== undefined) {
      if (colors.push(color) > 2) return undefined;
      continue;
    }
    const attribute = parseAttribute(word);
    if (attribute === undefined) return undefined;
    attributes.add(attribute);
  }
  const codes = [...attributes].sort((a, b) => a - b).map(String);
  colors.forEach((color, i) => {
    if (color !== 'normal') codes.push(`${color.code + i * TO_BACKGROUND}${color.more}`);
  });
  if (codes.length === 0 && !resets) return '';
  // No code at all takes everything back.
  return `\x1b[${resets && codes.length > 0 ? ';' : ''}${codes.join(';')}m`;
}

function parseColor(word: string): Color | undefined {
  const name = word.toLowerCase();
  if (name === 'normal' || name === '-1') return 'normal';
  if (name === 'default') return { code: FOREGROUND + 9, more: '' };
  const rgb = /^#(?:(..)(..)(..)|(.)(.)(.))$/.exec(name)?.slice(1).filter(Boolean);
  if (rgb !== undefined && /^#[0-9a-f]+$/.test(name)) {
    const parts = rgb.map((digits) => Number.parseInt(digits.padStart(2, digits), 16));
    return { code: EXTENDED, more: `;2;${parts.join(';')}` };
  }
  const bright = name.startsWith('bright');
  const index = NAMES.indexOf(bright ? name.slice('bright'.length) : name);
  if (index >= 0) return { code: (bright ? BRIGHT_FOREGROUND : FOREGROUND) + index, more: '' };
  if (!/^\+?\d+$/.test(name)) return undefined;
  const number = Number(name);
  if (number < 8) return { code: FOREGROUND + number, more: '' };
  if (number < 16) return { code: BRIGHT_FOREGROUND + number - 8, more: '' };
  return number < 256 ? { code: EXTENDED, more: `;5;${number}` } : undefined;
}

function parseAttribute(word: string): number | undefined {
  const [, no, name] = /^(no-?)?(.*)$/s.exec(word) ?? [];
  return ATTRIBUTES[name ?? '']?.[no === undefined ? 0 : 1];
}
