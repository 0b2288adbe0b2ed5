/** Planted faults that break the list of a follower. */
import type { PlantedFault } from '../support/edited-source.ts';

/** In files of src/domain/feed. */
export const followerFaults: Readonly<Record<string, PlantedFault>> = {
  'left not sent': {
    'selection.ts': [
      ['if (shown !== undefined) found.push', "if (shown !== undefined && shown.match !== 'left') found.push"],
    ],
  },
};
