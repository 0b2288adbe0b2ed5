/** What a person may have meant, to take with one press. */
import type { FieldDeclaration } from '../../api/declarations.ts';
import { Button } from '../button.tsx';
import { offersFor } from './offer-values.ts';

export type OffersProps = {
  readonly text: string;
  readonly field: FieldDeclaration;
  readonly onPick: (value: string) => void;
};

export function Offers({ text, field, onPick }: OffersProps) {
  const offers = offersFor(text, field.type);
  if (offers.length === 0) return null;
  return (
    <span class="offers">
      {offers.map((offer) => (
        <Button key={offer} onPress={() => onPick(offer)}>
          Use {offer}
        </Button>
      ))}
    </span>
  );
}
