// Which refs a branch follows and is pushed to, as the configuration says. Names are text, as in the
// configuration.

import type { Config } from '../../repository/config.ts';

/** `+src:dst`, both with at most one `*`. */
interface Refspec {
  source: string;
  destination: string | undefined;
  negative: boolean;
}

const BRANCHES = 'refs/heads/';

/** Answers for branches by the last part of their names. */
export class Tracking {
  readonly #config: Config;
  /** The full name that a short one stands for, for a branch that follows one of its own repository. */
  readonly #fullName: (name: string) => string;

  constructor(config: Config, fullName: (name: string) => string) {
    this.#config = config;
    this.#fullName = fullName;
  }

  /** The ref that the branch follows (`refs/remotes/origin/main`); `undefined` if there is none. */
  upstream(branch: string): string | undefined {
    const remote = this.#config.get(`branch.${branch}.remote`);
    const merge = this.#config.get(`branch.${branch}.merge`);
    if (remote === undefined || merge === undefined) return undefined;
    return this.#tracked(remote, merge) ?? (remote === '.' ? this.#fullName(merge) : undefined);
  }

  /** The remote that the branch follows. */
  upstreamRemote(branch: string): string | undefined {
    return this.#config.get(`branch.${branch}.remote`);
  }

  /** The ref that the branch follows, as the remote calls it. */
  upstreamRef(branch: string): string | undefined {
    if (this.upstreamRemote(branch) === undefined) return undefined;
    return this.#config.getAll(`branch.${branch}.merge`)[0];
  }

  /** The ref that shows what was pushed from the branch; `undefined` if there is none. */
  push(branch: string): string | undefined {
    const remote = this.pushRemote(branch) ?? this.#defaultRemote(branch);
    const specs = this.#refspecs(remote, 'push');
    const own = BRANCHES + branch;
    if (specs.length > 0) {
      const destination = apply(specs, own);
      return destination === undefined ? undefined : this.#tracked(remote, destination);
    }
    if (this.#config.getBoolean(`remote.${remote}.mirror`)) return this.#tracked(remote, own);
    switch (this.#config.get('push.default')) {
      case 'nothing':
        return undefined;
      case 'matching':
      case 'current':
        return this.#tracked(remote, own);
      case 'upstream':
      case 'tracking':
        return this.upstream(branch);
      default: {
        const upstream = this.upstream(branch);
        return upstream === this.#tracked(remote, own) ? upstream : undefined;
      }
    }
  }

  /** The remote that the branch is pushed to, where the configuration names one. */
  pushRemote(branch: string): string | undefined {
    return (
      this.#config.get(`branch.${branch}.pushRemote`) ??
      this.#config.get('remote.pushDefault') ??
      this.upstreamRemote(branch)
    );
  }

  /** The ref that the branch is pushed to, as the remote calls it, where the configuration says. */
  pushRef(branch: string): string | undefined {
    const remote = this.pushRemote(branch) ?? this.#defaultRemote(branch);
    return apply(this.#refspecs(remote, 'push'), BRANCHES + branch);
  }

  /** The only remote, or `origin`. */
  #defaultRemote(branch: string): string {
    const remotes = new Set<string>();
    for (const { key } of this.#config.entries) {
      const name = /^remote\.(.+)\.[^.]*$/s.exec(key)?.[1];
      if (name !== undefined) remotes.add(name);
    }
    const [only] = remotes;
    return this.upstreamRemote(branch) ?? (remotes.size === 1 ? only! : 'origin');
  }

  /** The ref here that shows the remote's ref. */
  #tracked(remote: string, ref: string): string | undefined {
    return apply(this.#refspecs(remote, 'fetch'), ref);
  }

  #refspecs(remote: string, direction: 'fetch' | 'push'): Refspec[] {
    return this.#config.getAll(`remote.${remote}.${direction}`).map((text) => {
      const negative = text.startsWith('^');
      const spec = negative || text.startsWith('+') ? text.slice(1) : text;
      const colon = spec.lastIndexOf(':');
      if (colon >= 0) {
        return { source: spec.slice(0, colon), destination: spec.slice(colon + 1), negative };
      }
      return { source: spec, destination: direction === 'push' ? spec : undefined, negative };
    });
  }
}

/** What the first refspec makes of the name whose source it matches. */
function apply(specs: readonly Refspec[], name: string): string | undefined {
  if (specs.some(({ negative, source }) => negative && match(source, name) !== undefined)) {
    return undefined;
  }
  for (const { source, destination, negative } of specs) {
    if (negative || !destination) continue;
    const middle = match(source, name);
    if (middle !== undefined) return destination.replace('*', () => middle);
  }
  return undefined;
}

/** What the pattern's `*` stands for in the name; `undefined` if it does not match. */
function match(pattern: string, name: string): string | undefined {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === name ? '' : undefined;
  const suffix = pattern.slice(star + 1);
  const fits = name.startsWith(pattern.slice(0, star)) && name.endsWith(suffix);
  const end = name.length - suffix.length;
  return fits && end >= star ? name.slice(star, end) : undefined;
}
