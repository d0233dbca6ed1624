// How values are quoted so that a shell or a script of another language reads them back. Values are byte
// text.

/** Languages that values are quoted for. */
export type QuoteStyle = 'shell' | 'perl' | 'python' | 'tcl';

const TCL_ESCAPES: Readonly<Record<string, string>> = {
  '\f': '\\f',
  '\r': '\\r',
  '\n': '\\n',
  '\t': '\\t',
  '\v': '\\v',
};

/** The value as a literal of the language; as it is where there is none. */
export function quote(value: string, style: QuoteStyle | undefined): string {
  if (style === undefined) return value;
  // Git's values end at a NUL, except for Perl, which can hold one.
  const text = style === 'perl' ? value : untilNul(value);
  switch (style) {
    case 'shell':
      return `'${text.replace(/['!]/g, "'\\$&'")}'`;
    case 'perl':
      return `'${text.replace(/['\\]/g, '\\$&')}'`;
    case 'python':
      return `'${text.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
    case 'tcl':
      return `"${text.replace(/[[\]{}$\\"\f\r\n\t\v]/g, (found) => TCL_ESCAPES[found] ?? `\\${found}`)}"`;
  }
}

function untilNul(value: string): string {
  const nul = value.indexOf('\0');
  return nul === -1 ? value : value.slice(0, nul);
}
