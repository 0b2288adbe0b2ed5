/** A screen, or a part of one, whose script is loaded when it is first shown. */
import type { FunctionComponent } from 'preact';
import { useLoaded } from '../state/loaded.ts';

export function lazy<Props>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  return function Lazy(props: Props) {
    const loaded = useLoaded(async () => ({ View: await load() }), []).value;
    if (loaded.kind === 'waiting') return <p class="plain-screen soft">Loading …</p>;
    // A newer version of the server has other files.
    if (loaded.kind === 'failed')
      return <p class="plain-screen">This part of the console could not be loaded: reload the page.</p>;
    const { View } = loaded.value;
    return <View {...(props as Props & object)} />;
  };
}
