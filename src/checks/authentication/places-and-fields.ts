/** Part 5: a credential of user and password is looked up by two fields, any other by one. */
import type { Check } from "../check.ts";

export const placesAndFields: Check = ({ authentication: { schemes } }, reporter) => {
  for (const { placement, credentials } of schemes) {
    if (!placement || !credentials) continue;
    const places = placement.kind === "basic" ? placement.parts.length : 1;
    const fields = credentials.by.length;
    if (places === fields) continue;
    const related = [{ position: placement.position, message: `The placement has ${places}.` }];
    reporter.report("authentication/places-and-fields", credentials.position, { fields, places }, related);
  }
};
