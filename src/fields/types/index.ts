/** The plain types of part 2, by name. A new one is a file here and a line in this list. */
import type { PlainType } from "../type.ts";
import { boolean } from "./boolean.ts";
import { date } from "./date.ts";
import { decimal } from "./decimal.ts";
import { duration } from "./duration.ts";
import { email } from "./email.ts";
import { integer } from "./integer.ts";
import { json } from "./json.ts";
import { number } from "./number.ts";
import type { ScalarType } from "./scalar-type.ts";
import { credential, password, string } from "./string.ts";
import { timestamp } from "./timestamp.ts";
import { uri } from "./uri.ts";
import { uuid } from "./uuid.ts";

export const scalarTypes: Readonly<Record<PlainType, ScalarType>> = {
  string,
  integer,
  number,
  decimal,
  boolean,
  timestamp,
  date,
  duration,
  uuid,
  email,
  uri,
  json,
  password,
  credential,
};

export { type ReadForm, Refusal, type ScalarType } from "./scalar-type.ts";
