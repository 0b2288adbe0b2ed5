/** What a collector has rejected of a request that it accepts: the message `ExportPartialSuccess` in its answer. */

export type Rejected = { readonly count: number; readonly why: string };

/** Undefined if it has rejected nothing, and for an answer that is not one of OTLP: the data were taken. */
export function rejectedIn(answer: Uint8Array, isJson: boolean): Rejected | undefined {
  try {
    const { count, why } = isJson ? fromJson(answer) : fromProtobuf(answer);
    return count > 0 ? { count, why } : undefined;
  } catch {
    return undefined;
  }
}

function fromJson(answer: Uint8Array): Rejected {
  const { partialSuccess = {} } = JSON.parse(new TextDecoder().decode(answer));
  const { rejectedSpans, rejectedDataPoints, rejectedLogRecords, errorMessage = '' } = partialSuccess;
  return { count: Number(rejectedSpans ?? rejectedDataPoints ?? rejectedLogRecords ?? 0), why: String(errorMessage) };
}

/** Field 1 of the answer is a message: its field 1 is the count, and its field 2 says why. */
function fromProtobuf(answer: Uint8Array): Rejected {
  const partial = fieldsOf(answer).get(1);
  if (!(partial instanceof Uint8Array)) return { count: 0, why: '' };
  const fields = fieldsOf(partial);
  const why = fields.get(2);
  return { count: Number(fields.get(1) ?? 0), why: why instanceof Uint8Array ? new TextDecoder().decode(why) : '' };
}

/** Fields that are numbers or bytes. Throws at any other. */
function fieldsOf(bytes: Uint8Array): Map<number, number | Uint8Array> {
  const fields = new Map<number, number | Uint8Array>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 63; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new Error('not a number');
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 === 0) fields.set(tag >> 3, value);
    else if (tag % 8 === 2) {
      fields.set(tag >> 3, bytes.subarray(at, at + value));
      at += value;
    } else throw new Error('not a message of OTLP');
  }
  return fields;
}
