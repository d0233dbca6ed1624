// What can be wrong with packed-refs, line by line: the checks of `git refs verify`.

import { isOid, type ObjectFormat, oidSize } from '../../format/object-format.ts';
import { compareText, decodeText } from '../../format/text.ts';
import { checkRefName } from '../../refs/ref-name.ts';
import type { RefFileSystem } from '../../storage/ref-file-system.ts';
import type { FileReport } from './report.ts';

const HEADER = '# pack-refs with: ';
const SPACE = /^[ \t\n\v\f\r]/;

/** Checks the file at `path`. */
export function verifyPacked(
  files: RefFileSystem,
  path: string,
  objectFormat: ObjectFormat,
  report: FileReport,
): void {
  report.mention(`Checking packed-refs file ${path}`);
  const kind = files.kindOf(path);
  if (kind === undefined) return;
  if (kind !== 'file') {
    const message = kind === 'link' ? 'not a regular file but a symlink' : 'not a regular file';
    report.fault('packed-refs', 'badRefFiletype', message);
    return;
  }
  const file = files.open(path);
  try {
    if (file.size === 0) report.fault('packed-refs', 'emptyPackedRefsFile', 'file is empty');
    else new PackedCheck(decodeText(file.read(0, file.size)), objectFormat, report).run();
  } finally {
    file.close();
  }
}

class PackedCheck {
  readonly #text: string;
  readonly #digits: number;
  readonly #objectFormat: ObjectFormat;
  readonly #report: FileReport;
  #foundError = false;
  #isSorted = false;
  /** The names so far, with their lines. */
  readonly #names: { name: string; line: number }[] = [];

  constructor(text: string, objectFormat: ObjectFormat, report: FileReport) {
    this.#text = text;
    this.#objectFormat = objectFormat;
    this.#digits = 2 * oidSize(objectFormat);
    this.#report = report;
  }

  run(): void {
    const lines = this.#text.split('\n');
    const isEnded = lines.at(-1) === '';
    if (isEnded) lines.pop();
    let mayBePeeled = false;
    for (const [at, line] of lines.entries()) {
      if (!isEnded && at === lines.length - 1) {
        const message = `'${line}' is not terminated with a newline`;
        this.#fault(at + 1, 'packedRefEntryNotTerminated', message);
      }
      if (at === 0 && line.startsWith('#')) this.#header(line);
      else if (mayBePeeled && line.startsWith('^')) this.#peeled(at + 1, line.slice(1));
      else this.#entry(at + 1, line);
      mayBePeeled = !line.startsWith('#') && !line.startsWith('^');
    }
    if (this.#isSorted && !this.#foundError) this.#order();
  }

  #header(line: string): void {
    if (line.startsWith(HEADER)) {
      this.#isSorted = line.slice(HEADER.length).split(' ').includes('sorted');
      return;
    }
    const message = `'${line}' does not start with '${HEADER}'`;
    this.#tell('packed-refs.header', 'badPackedRefHeader', message);
  }

  #entry(number: number, line: string): void {
    const oid = line.slice(0, this.#digits);
    const rest = line.slice(this.#digits);
    if (!isOid(oid, this.#objectFormat)) {
      this.#fault(number, 'badPackedRefEntry', `'${line}' has invalid oid`);
    } else if (!SPACE.test(rest)) {
      const message = `has no space after oid '${oid.toLowerCase()}' but with '${rest}'`;
      this.#fault(number, 'badPackedRefEntry', message);
    } else {
      this.#name(number, rest.slice(1));
    }
  }

  #name(number: number, found: string): void {
    const name = found.replace(/\0.*/s, '');
    if (name !== found) {
      this.#fault(number, 'badPackedRefEntry', `refname '${name}' contains NULL binaries`);
    }
    if (checkRefName(name) !== undefined) {
      this.#fault(number, 'badRefName', `has bad refname '${name}'`);
    }
    this.#names.push({ name: found, line: number });
  }

  #peeled(number: number, line: string): void {
    const rest = line.slice(this.#digits);
    if (!isOid(line.slice(0, this.#digits), this.#objectFormat)) {
      this.#fault(number, 'badPackedRefEntry', `'${line}' has invalid peeled oid`);
    } else if (rest !== '') {
      const message = `has trailing garbage after peeled oid '${rest}'`;
      this.#fault(number, 'badPackedRefEntry', message);
    }
  }

  #order(): void {
    for (const [at, { name, line }] of this.#names.entries()) {
      const before = this.#names[at - 1]?.name;
      if (before === undefined || compareText(before, name) < 0) continue;
      const message = `refname '${name}' is less than previous refname '${before}'`;
      this.#fault(line, 'packedRefUnsorted', message);
      return;
    }
  }

  #fault(line: number, fault: Parameters<FileReport['fault']>[1], message: string): void {
    this.#tell(`packed-refs line ${line}`, fault, message);
  }

  #tell(path: string, fault: Parameters<FileReport['fault']>[1], message: string): void {
    if (this.#report.fault(path, fault, message)) this.#foundError = true;
  }
}
