// What the refs and reflogs must be after what was asked for: the simplest thing that could be right, to compare with.

interface LogLine {
  oldOid: string;
  newOid: string;
  message: string;
}

const ZERO = '0'.repeat(40);

/** What HEAD names, all the time. */
export const BRANCH = 'refs/heads/main';

export class ExpectedRefs {
  readonly #refs: Map<string, string>;
  /** The newest entry first. */
  readonly #logs: Map<string, readonly LogLine[]>;

  /** A repository without refs but HEAD, or a copy. */
  constructor(original?: ExpectedRefs) {
    this.#refs = new Map(original === undefined ? [] : original.#refs);
    this.#logs = new Map(original === undefined ? [] : original.#logs);
  }

  get branches(): string[] {
    return [...this.#refs.keys()].filter((name) => name !== BRANCH);
  }

  /** Sets a ref, or deletes it. Refs in `refs/heads/` are logged, and what HEAD names twice. */
  update(name: string, newOid: string | undefined, message: string): void {
    if (newOid === undefined) {
      this.#refs.delete(name);
      this.#logs.delete(name);
      return;
    }
    const line = { oldOid: this.#refs.get(name) ?? ZERO, newOid, message };
    this.#refs.set(name, newOid);
    if (!name.startsWith('refs/heads/')) return;
    for (const log of name === BRANCH ? [name, 'HEAD'] : [name]) {
      this.#logs.set(log, [line, ...(this.#logs.get(log) ?? [])]);
    }
  }

  /** Leaves out the entries of a reflog, or of all, whose messages `expires` names. */
  expire(name: string | undefined, expires: (message: string) => boolean): void {
    for (const [log, lines] of this.#logs) {
      if (name !== undefined && name !== log) continue;
      const kept = lines.filter(({ message }) => !expires(message));
      if (kept.length === 0) this.#logs.delete(log);
      else this.#logs.set(log, kept);
    }
  }

  /** As `describeStore` describes a store's. */
  describe(): string {
    const refs = new Map([...this.#refs, ['HEAD', `ref: ${BRANCH}`]]);
    const lines = [...refs.keys()].sort().map((name) => `${name} ${refs.get(name)}`);
    for (const name of [...this.#logs.keys()].sort()) {
      for (const { oldOid, newOid, message } of this.#logs.get(name)!) {
        lines.push(`log ${name} ${oldOid} ${newOid} ${message}`);
      }
    }
    return lines.join('\n');
  }
}
