// What can be wrong with the files of refs: the checks of `git refs verify` on one worktree, as Git makes them and in
// the order that the system has the files in.

import { resolve } from 'node:path';
import { isOid, type ObjectFormat, oidSize } from '../../format/object-format.ts';
import { decodeText } from '../../format/text.ts';
import { checkRefName, isRootRef } from '../../refs/ref-name.ts';
import { verifyRef } from '../../refs/verification.ts';
import { parseWorktreeRef } from '../../refs/worktrees/worktree-ref.ts';
import type { FileKind, RefFileSystem } from '../../storage/ref-file-system.ts';
import type { FileReport } from './report.ts';

export interface VerifiedFolder {
  files: RefFileSystem;
  objectFormat: ObjectFormat;
  /** The worktree's own part of the repository; absolute. */
  gitDir: string;
  /** What its refs are called from the main worktree: `worktrees/ID/`, or nothing. */
  prefix: string;
}

/** Checks the files below `refs/`, and those of root refs. */
export function verifyLoose(folder: VerifiedFolder, report: FileReport): void {
  const check = new LooseCheck(folder, report);
  check.below('refs/');
  check.roots();
}

class LooseCheck {
  readonly #folder: VerifiedFolder;
  readonly #report: FileReport;

  constructor(folder: VerifiedFolder, report: FileReport) {
    this.#folder = folder;
    this.#report = report;
  }

  below(folder: string): void {
    const { files, gitDir } = this.#folder;
    for (const { name, kind } of files.list(`${gitDir}/${folder}`) ?? []) {
      if (kind === 'folder') this.below(`${folder}${name}/`);
      else if (name.startsWith('.') || !name.endsWith('.lock')) this.#file(folder + name, kind);
    }
  }

  roots(): void {
    const { files, gitDir } = this.#folder;
    for (const { name, kind } of files.list(gitDir) ?? []) {
      if (kind === 'file' && isRootRef(name)) this.#file(name, kind);
    }
  }

  #file(name: string, kind: FileKind): void {
    const path = this.#folder.prefix + name;
    this.#report.mention(`Checking ${path}`);
    if (kind !== 'file' && kind !== 'link') {
      this.#report.fault(path, 'badRefFiletype', 'unexpected file type');
      return;
    }
    if (!isRootRef(name) && checkRefName(path) !== undefined) {
      this.#report.fault(path, 'badRefName', 'invalid refname format');
    }
    if (kind === 'link') this.#link(name, path);
    else this.#content(name, path);
  }

  #link(name: string, path: string): void {
    const { files, gitDir } = this.#folder;
    this.#report.fault(path, 'symlinkRef', 'use deprecated symbolic link for symref');
    const at = `${gitDir}/${name}`;
    const leads = resolve(at, '..', files.readLink(at));
    const target = leads.startsWith(`${gitDir}/`) ? leads.slice(gitDir.length + 1) : leads;
    this.#target(name, path, target);
  }

  #content(name: string, path: string): void {
    const { files, gitDir, objectFormat } = this.#folder;
    const file = files.open(`${gitDir}/${name}`);
    let content: string;
    try {
      content = decodeText(file.read(0, file.size)).replace(/\0.*/s, '');
    } finally {
      file.close();
    }
    const [, target] = /^ref:[ \t\n\v\f\r]*(.*)$/s.exec(content) ?? [];
    if (target !== undefined) {
      this.#symref(name, path, target);
      return;
    }
    const digits = 2 * oidSize(objectFormat);
    const oid = content.slice(0, digits);
    const rest = content.slice(digits);
    if (!isOid(oid, objectFormat) || !/^(?:$|[ \t\n\v\f\r])/.test(rest)) {
      this.#report.fault(path, 'badRefContent', trimmed(content));
    } else if (rest === '') {
      this.#report.fault(path, 'refMissingNewline', 'misses LF at the end');
    } else if (rest !== '\n') {
      this.#report.fault(path, 'trailingRefContent', `has trailing garbage: '${rest}'`);
    } else {
      const ref = { name, updateIndex: 0, oid: oid.toLowerCase() };
      verifyRef(ref, (fault, message) => this.#report.fault(path, fault, message));
    }
  }

  #symref(name: string, path: string, found: string): void {
    const target = trimmed(found);
    if (target === found || !found.endsWith('\n')) {
      this.#report.fault(path, 'refMissingNewline', 'misses LF at the end');
    }
    if (found.length - target.length > 1) {
      const message = 'has trailing whitespaces or newlines';
      this.#report.fault(path, 'trailingRefContent', message);
    }
    this.#target(name, path, target);
  }

  #target(name: string, path: string, target: string): void {
    const ref = { name: parseWorktreeRef(name).name, updateIndex: 0, target };
    verifyRef(ref, (fault, message) => this.#report.fault(path, fault, message));
  }
}

function trimmed(text: string): string {
  return text.replace(/[ \t\n\v\f\r]+$/, '');
}
