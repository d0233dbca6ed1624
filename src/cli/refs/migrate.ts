// `reftable refs migrate`: refused, since there is only one format to migrate to.

import { die } from '../failure.ts';

export const help = `usage: reftable refs migrate

Is refused: migrating between ref formats takes Git.
`;

export function run(): never {
  return die('migrating between ref formats is not supported; git refs migrate does it');
}
