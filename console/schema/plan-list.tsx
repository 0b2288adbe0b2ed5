/** The steps of a plan in words: what is done to which records, and whether anything is lost. */
import { grouped } from '../api/count.ts';
import { Icon } from '../parts/icon.tsx';
import { hrefOf } from '../state/address.ts';
import type { Step } from './settings.ts';

export function PlanList({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol class="plan plain-list" aria-label="Steps">
      {steps.map((step) => (
        <PlanStep key={step.text} step={step} />
      ))}
    </ol>
  );
}

function PlanStep({ step: { text, risk, loses, records, failing } }: { readonly step: Step }) {
  const isBad = risk === 'refused' || failing.length > 0;
  // A step begins with the collection, and the field if it is about one.
  const [, place = '', words = text] = /^([\w.]+): (.*)$/s.exec(text) ?? [];
  const collection = place.split('.')[0] ?? '';
  return (
    <li class={isBad ? 'bad' : loses ? 'loses' : 'good'}>
      <Icon name={isBad || loses ? 'warn' : 'check'} size={16} />
      <div>
        <span>
          {place === '' ? null : <b>{place}</b>} {words}
        </span>
        <span class="soft">
          {[
            // The step may say it itself.
            records === null || words.includes(grouped(String(records)))
              ? undefined
              : `${grouped(String(records))} ${records === 1 ? 'record' : 'records'}`,
            isBad ? undefined : loses ? 'loses values' : 'loses nothing',
          ]
            .filter((part) => part !== undefined)
            .join(', ')}
        </span>
        {failing.length === 0 ? null : (
          <span class="mistakes">
            {failing.length === 1 ? 'This record does not fit: ' : 'These records do not fit: '}
            {failing.map((id, at) => (
              <>
                {at === 0 ? '' : ', '}
                <a key={id} href={hrefOf([collection, String(id)])}>
                  {id}
                </a>
              </>
            ))}
          </span>
        )}
      </div>
    </li>
  );
}
