/** On an empty Shelf: a file becomes the first collection. */
import { hrefOf } from '../../../state/address.ts';
import { handOver } from '../handed-over.ts';
import { ChooseSource } from './choose-source.tsx';

export function FirstCollection() {
  return (
    <section aria-labelledby="first-title">
      <h2 id="first-title">Begin with your records</h2>
      <ChooseSource label="Choose a file" takesText={false} onChosen={handOver} />
      <p class="soft">
        The fields are proposed from the values, and you look at them before anything is made. Or{' '}
        <a href={hrefOf(['-', 'schema'])}>declare a collection</a> without a file.
      </p>
    </section>
  );
}
