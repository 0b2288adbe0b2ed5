/** Planted faults that break the list of a follower. */
import type { PlantedFault } from '../support/edited-source.ts';

/** In files of src/http/feed. */
export const followerFaults: Readonly<Record<string, PlantedFault>> = {
  'left not sent': {
    'selection.ts': [
      ['if (match !== undefined) found.push', "if (match !== undefined && match !== 'left') found.push"],
    ],
  },
};
