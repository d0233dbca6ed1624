// `reftable refs list`: for-each-ref by another name.

import * as forEachRef from '../commands/for-each-ref.ts';

export const help = forEachRef.help.replace('for-each-ref', 'refs list');
export const run = forEachRef.run;
