// `reftable refs optimize`: pack-refs by another name.

import * as packRefs from '../commands/pack-refs.ts';

export const help = packRefs.help.replace('pack-refs', 'refs optimize');
export const run = packRefs.run;
