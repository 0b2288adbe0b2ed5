/** How large the picture is: buttons, and the keys +, - and 0. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { isTyping } from '../../../parts/typing.ts';

/** In percent of the size in which letters are as large as elsewhere. */
const levels = [25, 33, 50, 67, 80, 100, 125, 150, 200, 300];
const natural = 100;

export type Zoom = { readonly percent: number; readonly set: (percent: number) => void };

export function useZoom(): Zoom {
  const [percent, set] = useState(natural);
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // With and without Shift, as the keys lie.
      if (event.key === '+' || event.key === '=') set(larger);
      else if (event.key === '-') set(smaller);
      else if (event.key === '0') set(natural);
      else return;
      event.preventDefault();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return { percent, set };
}

const larger = (percent: number) => levels.find((level) => level > percent) ?? percent;
const smaller = (percent: number) => levels.findLast((level) => level < percent) ?? percent;

/** `fitting` is asked for the percentage at which all of the picture is seen. */
export function ZoomButtons({
  zoom: { percent, set },
  fitting,
}: {
  readonly zoom: Zoom;
  readonly fitting: () => number;
}) {
  return (
    <div class="picture-zoom">
      <Button
        icon="minus"
        kind="quiet"
        label="Smaller"
        refused={smaller(percent) === percent ? 'It is as small as it can be.' : undefined}
        onPress={() => set(smaller(percent))}
      />
      <output>{percent}&nbsp;%</output>
      <Button
        icon="plus"
        kind="quiet"
        label="Larger"
        refused={larger(percent) === percent ? 'It is as large as it can be.' : undefined}
        onPress={() => set(larger(percent))}
      />
      <Button kind="quiet" onPress={() => set(natural)}>
        Reset
      </Button>
      <Button kind="quiet" onPress={() => set(Math.max(1, Math.min(natural, Math.floor(fitting()))))}>
        Fit
      </Button>
    </div>
  );
}
