/**
 * SQLite values by form: how they are bound and decoded. Booleans are stored as numbers, and
 * integers are bound as bigints.
 */
import { type Decode, type Encode, type Form, usualDecoder, usualEncoder } from "../../sql/form.ts";

/** The encoder of a form's values as parameters. */
export function encoderOfForm(form: Form): Encode {
  switch (form) {
    case "boolean":
      return (value) => (value === true ? 1 : value === false ? 0 : null);
    case "integer":
    case "duration":
      // A JavaScript number would be bound as a binary fraction, and 5 / 2 would be 2.5.
      return (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : null);
    default:
      return usualEncoder(form);
  }
}

/** The decoder of a form's results. */
export function decoderOfForm(form: Form): Decode {
  if (form !== "boolean") return usualDecoder(form);
  return (stored) =>
    stored === null || stored === undefined ? null : stored === 1 || stored === 1n || stored === true;
}
