/**
 * Resource descriptions for showing and changing records: fields with their supported queries,
 * states, and the name of a record.
 */
import { type Static, Type } from "typebox";
import { eventNames } from "../../../engine/admin/event-names.ts";
import { isComputed, isOrdered } from "../../../engine/admin/field-path.ts";
import { operatorsOf } from "../../../engine/admin/filters.ts";
import { searchableFields } from "../../../engine/admin/find-records.ts";
import { searchedFields } from "../../../engine/admin/list-records.ts";
import { notSettable } from "../../../engine/admin/read-fields.ts";
import { requestNames } from "../../../engine/admin/request-names.ts";
import { labelFieldOf, storedResources } from "../../../engine/admin/operator-record.ts";
import type { PlanContext } from "../../../engine/records/plan-context.ts";
import type { ResourcePlan } from "../../../engine/records/resource-plan.ts";
import { isHidden } from "../../../engine/records/hidden-fields.ts";
import type { Service } from "../../../engine/service.ts";
import { readsName } from "../../../expressions/analysis/reads.ts";
import type { Meaning } from "../../../expressions/scope.ts";
import { hasRule, isServiceSet, ruleOf } from "../../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../../fields/type.ts";
import { identifierFields } from "../../../model/meaning.ts";
import type { Field } from "../../../model/model.ts";
import { indexedFields } from "../../../store/indexed-fields.ts";
import { clientRules, type FormType, formType } from "../../form-type.ts";
import { recordExamples } from "../../record-examples.ts";
import { resourceNamed } from "../routing/find-resource.ts";
import { formTypeSchema } from "../routing/form-type-schema.ts";
import { fields, nullable, route, serviceOf } from "../routing/route.ts";

/** The description of one value that a form needs. */
export const inputSchema = {
  name: Type.String(),
  type: formTypeSchema,
  required: Type.Boolean(),
};

const fieldSchema = fields({
  ...inputSchema,
  line: Type.Integer({ description: "of the document" }),
  meaning: Type.String(),
  rules: Type.Array(Type.String(), { description: "in sentences: `At most 120 characters.`" }),
  role: Type.Union([Type.Literal("plain"), Type.Literal("identifier"), Type.Literal("state")]),
  hidden: Type.Boolean({ description: "its values are hidden" }),
  computed: Type.Boolean(),
  filled: Type.Union([Type.Literal("always"), Type.Literal("by request"), Type.Null()], {
    description: "whether the service sets it when it is omitted",
  }),
  set_by_service: Type.Boolean({ description: "callers can't send it; an operator can" }),
  immutable: Type.Boolean({ description: "callers can't change it; an operator can" }),
  not_settable: Type.Optional(
    fields({
      new: Type.Optional(Type.String()),
      edit: Type.Optional(
        Type.String({ description: "the reason, as the rest of a sentence after its name" }),
      ),
    }),
  ),
  indexed: Type.Boolean({ description: "whether an index has its values" }),
  sortable: Type.Boolean(),
  operators: Type.Array(Type.String(), { description: "of filters" }),
});

export const resourceSchema = fields({
  name: Type.String(),
  line: Type.Integer({ description: "of the document" }),
  identifier: Type.Array(Type.String()),
  label: nullable(Type.String({ description: "the field that labels a record for people" })),
  state: nullable(Type.String({ description: "the field of its state" })),
  transitions: Type.Array(Type.String(), { description: "the transitions that can be called" }),
  marked: Type.Boolean({ description: "deleted records are marked, and can be seen" }),
  found_by: Type.Array(Type.String(), { description: "fields in which a search looks, along an index" }),
  searched: Type.Array(Type.String(), { description: "fields in which a search everywhere looks" }),
  fields: Type.Array(fieldSchema),
});

export type ResourceResponse = Static<typeof resourceSchema>;
export type FieldResponse = Static<typeof fieldSchema>;

export const resourcesSchema = fields({
  resources: Type.Array(fields({ name: Type.String(), line: Type.Integer() })),
});

export type ResourcesResponse = Static<typeof resourcesSchema>;

const examplesSchema = fields({
  examples: Type.Array(
    fields({
      scenario: Type.String(),
      line: Type.Integer({ description: "of the document" }),
      values: Type.Record(Type.String(), Type.String(), { description: "by field" }),
    }),
  ),
});

export type ExamplesResponse = Static<typeof examplesSchema>;

export const resourceRoutes = [
  route({
    method: "GET",
    path: "/api/resources",
    does: "the resources that have records",
    answer: resourcesSchema,
    run: async (call) => toResourcesResponse(await serviceOf(call)),
  }),
  route({
    method: "GET",
    path: "/api/examples/{resource}",
    does: "what the document's scenarios send to create a record of it, field by field as it is typed",
    answer: examplesSchema,
    async run(call) {
      const { model } = await serviceOf(call);
      const name = resourceNamed(model, call.parameter("resource"));
      return {
        examples: recordExamples(model, name).map((example) => ({
          ...example,
          values: { ...example.values },
        })),
      };
    },
  }),
];

export function toResourcesResponse({ model }: Service): ResourcesResponse {
  return {
    resources: storedResources(model.resources).map(({ name, position }) => ({
      name,
      line: position.start.line,
    })),
  };
}

export function toResourceResponse(service: Service, name: string): ResourceResponse {
  const plan = service.internals.context.resource(name);
  const { resource, machine } = plan;
  const indexed = indexedFields(service.model, name);
  const calls = [...(machine?.transitions.values() ?? [])].filter(({ ends }) =>
    ends.some(({ end }) => end.trigger.kind === "call"),
  );
  return {
    name,
    line: resource.position.start.line,
    identifier: [...identifierFields(resource)],
    label: labelFieldOf(resource)?.name ?? null,
    state: machine?.field ?? null,
    transitions: calls.map((plan) => plan.name),
    marked: resource.deleted === "marked",
    found_by: [
      ...new Set([...plan.identifier, ...searchableFields(service, plan).map((field) => field.name)]),
    ],
    searched: searchedFields(plan).map((field) => field.name),
    fields: resource.fields.map((field) => toFieldResponse(service, plan, field, indexed)),
  };
}

function toFieldResponse(
  service: Service,
  plan: ResourcePlan,
  field: Field,
  indexed: ReadonlySet<string>,
): FieldResponse {
  const { name, type, rules, role, meaning, position } = field;
  const hidden = isHidden(field);
  const forNew = notSettable(plan, field, true);
  const forEdit = notSettable(plan, field, false);
  const { context } = service.internals;
  const filled = filledBy(context.meaning, plan, field);
  const names = eventNames(service).get(`${plan.name}.${name}`);
  return {
    name,
    type: {
      ...typeIn(context, type),
      ...(names && type.kind === "list" ? { choices: [...names] } : {}),
    },
    required: (hasRule(rules, "required") || role === "identifier") && filled !== "always",
    filled,
    line: position.start.line,
    meaning,
    rules: clientRules(rules, type),
    role,
    hidden,
    computed: isComputed(field),
    set_by_service: isServiceSet(rules) && !isComputed(field),
    immutable: hasRule(rules, "immutable"),
    ...(forNew === undefined && forEdit === undefined
      ? {}
      : {
          not_settable: {
            ...(forNew === undefined ? {} : { new: forNew }),
            ...(forEdit === undefined ? {} : { edit: forEdit }),
          },
        }),
    indexed: indexed.has(name) && !hidden,
    sortable: isOrdered(type) && !hidden,
    operators: hidden ? [] : [...operatorsOf(type)],
  };
}

/**
 * What sets a field when a record is created. An operator's change has no caller, so an expression
 * that reads the caller gives null.
 */
function filledBy(meaning: Meaning, plan: ResourcePlan, { name, rules }: Field): FieldResponse["filled"] {
  if (!plan.defaultValues.some((filler) => filler.field === name)) return null;
  const texts = [ruleOf(rules, "on create"), ruleOf(rules, "default")].flatMap((rule) => rule?.value ?? []);
  return texts.length > 0 && texts.every(({ node }) => readsName(node, requestNames, meaning))
    ? "by request"
    : "always";
}

/** Describes an input for a form. */
export function toInputResponse(
  context: Pick<PlanContext, "resource">,
  name: string,
  part: Pick<FieldPart, "type">,
  required: boolean,
) {
  return { name, type: typeIn(context, part.type), required };
}

function typeIn(context: Pick<PlanContext, "resource">, type: FieldType): FormType {
  return formType(type, (resource) => context.resource(resource).stored);
}
