/** The record of a resource, as `ownFieldsRead` needs it to find the fields that an expression reads. */
import type { OwnRecord } from "../../expressions/analysis/own-fields.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { isHidden } from "../../fields/rule.ts";
import { identifierFields } from "../meaning.ts";
import type { Resource } from "../model.ts";

export function ownRecordOf(resource: Resource, meaning: Meaning): OwnRecord {
  const { name, variableName, fields } = resource;
  return {
    resource: name,
    variableName,
    fields: fields.map((field) => field.name),
    identifier: identifierFields(resource),
    visible: fields.filter(({ rules }) => !isHidden(rules)).map((field) => field.name),
    computed: (field) => meaning.computed(name, field),
    shapeBody: (shape) => meaning.shapeBody(shape),
  };
}
