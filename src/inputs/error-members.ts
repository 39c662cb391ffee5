/** Members of an error's payload, by their names in use at many services. */
import { normalizedName } from "../support/alike-names.ts";

/** What a member may be. Its values decide whether it is. */
export type ErrorMember = "code" | "message" | "field" | "request";

const names: Readonly<Record<ErrorMember, RegExp>> = {
  message: /^(message|msg|detail|description|errordescription|errormessage|reason)$/,
  field: /^(field|param|parameter)$/,
  request: /^(requestid|request|traceid)$/,
  code: /^(code|type|error|name|errorcode|kind)$/,
};

export function errorMember(key: string): ErrorMember | undefined {
  const name = normalizedName(key);
  const members: readonly ErrorMember[] = ["message", "field", "request", "code"];
  return members.find((member) => names[member].test(name));
}
