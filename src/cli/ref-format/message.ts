// The parts of a commit's or a tag's message: subject, body, signature. Everything is byte text.

export interface MessageParts {
  /** From the subject on, signature included. */
  whole: string;
  subject: string;
  /** Behind the subject and empty lines, signature included. */
  body: string;
  /** The same without the signature. */
  unsignedBody: string;
  signature: string;
  /** From the subject on, without the signature. */
  unsigned: string;
}

const SIGNATURE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SIGNED MESSAGE|SSH SIGNATURE)-----/gm;

/** Takes an object's content apart. */
export function messageParts(content: string): MessageParts {
  const nul = content.indexOf('\0');
  const text = nul === -1 ? content : content.slice(0, nul);
  const header = text.startsWith('\n') ? 0 : text.indexOf('\n\n') + 1;
  const hasMessage = header > 0 || text.startsWith('\n');
  const whole = hasMessage ? text.slice(header).replace(/^\n+/, '') : '';
  const signatureStart = lastSignature(whole);
  const blank = whole.search(/\n\n/);
  const gap = blank === -1 ? whole.indexOf('\r\n\r\n') : blank;
  const subjectEnd = gap === -1 ? signatureStart : Math.min(gap, signatureStart);
  const body = whole.slice(subjectEnd).replace(/^[\r\n]+/, '');
  const bodyStart = whole.length - body.length;
  return {
    whole,
    subject: whole.slice(0, subjectEnd).replace(/[\r\n]+$/, ''),
    body,
    unsignedBody: whole.slice(bodyStart, Math.max(bodyStart, signatureStart)),
    signature: whole.slice(signatureStart),
    unsigned: whole.slice(0, Math.max(bodyStart, signatureStart)),
  };
}

/** Where the last line stands that begins a signature; the end if there is none. */
function lastSignature(text: string): number {
  let start = text.length;
  for (const match of text.matchAll(SIGNATURE)) start = match.index;
  return start;
}

/** The subject in one line. */
export function oneLine(subject: string): string {
  return subject.replaceAll('\r\n', '\n').replaceAll('\n', ' ');
}

/** The subject as part of a file's name, as `git format-patch` makes it. */
export function sanitized(subject: string): string {
  return subject
    .replace(/\.+/g, '.')
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/^-/, '')
    .replace(/[-.]+$/, '');
}

/** The first lines, those behind the first indented. */
export function firstLines(text: string, count: number): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(0, count).join('\n    ');
}
