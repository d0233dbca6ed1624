// Namespaces: several repositories in one, whose refs are below `refs/namespaces/NAME/` as they would be at the
// top of a repository of their own, `HEAD` among them.

import { RefError } from '../errors.ts';
import { checkRefName } from '../refs/ref-name.ts';

/**
 * What stands in front of the names of a namespace's refs; nothing for that of `''`. `a/b` is the namespace b within
 * a. Throws `BAD_NAME`, in Git's words.
 */
export function namespacePrefix(namespace: string): string {
  if (namespace === '') return '';
  const components = namespace.match(/[^/]*\/|[^/]+/g)!;
  const prefix = components
    .filter((component) => component !== '/')
    .map((component) => `refs/namespaces/${component}`)
    .join('');
  if (checkRefName(prefix) !== undefined) {
    throw new RefError('BAD_NAME', `bad git namespace path "${namespace}"`, { ref: prefix });
  }
  return `${prefix}/`;
}
