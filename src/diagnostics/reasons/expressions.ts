/** Why the diagnostics of expressions are reported. */
import type { expressionsCodes } from "../codes/expressions.ts";
import type { ReasonsOf } from "./shared.ts";

export const expressionsReasons: ReasonsOf<typeof expressionsCodes> = {
  "expressions/missing":
    "The server would have nothing to evaluate, so the condition or value that belongs here would be missing.",
  "expressions/unreadable":
    "The server evaluates expressions exactly as written. It can't evaluate one whose form it does not know.",
  "expressions/unfinished":
    "The end of the expression may be lost. Evaluating only the beginning could allow what the rest would reject.",
  "expressions/open-text":
    "Everything after the quote would belong to the text, so the rest of the expression would be lost.",
  "expressions/too-long":
    "The time for compiling an expression is bounded, so that a hostile document can't stop a server.",
  "expressions/too-deep":
    "The memory for compiling an expression is bounded, so that a hostile document can't stop a server.",
  "expressions/too-many-macros":
    "Each of them runs once for each element of the one around it. The work for one request would have no useful bound.",
  "expressions/not-supported":
    "The database, the server and exports must compute the same value. For this part of CEL they can't.",
  "expressions/integer-too-large":
    "JSON clients read numbers as doubles. A larger integer would arrive as another number.",
  "expressions/unknown-name": "There is no value of this name, so the expression could not be evaluated.",
  "expressions/unknown-field": "There is no value of this name, so the expression could not be evaluated.",
  "expressions/unknown-function":
    "The server has no function of this name, so each request that needs the value would fail.",
  "expressions/value-resource":
    "A value is stored inside other records, so there is no collection of them to read.",
  "expressions/password-carried":
    "The hash of a password would be stored, returned or logged elsewhere, where it can be attacked.",
  "expressions/record-as-json":
    "Clients would receive every stored field, including those that are meant to stay hidden.",
  "expressions/argument-count":
    "The function could not be evaluated, so each request that needs the value would fail.",
  "expressions/argument-type":
    "The function could not be evaluated, so each request that needs the value would fail.",
  "expressions/argument-value":
    "The function could not be evaluated, so each request that needs the value would fail.",
  "expressions/has-argument": "A value without a dot is always present, so the condition would always hold.",
  "expressions/sequence-alone":
    "The store counts while it writes the record. When the rest of the expression is evaluated, the number does not exist yet.",
  "expressions/condition-alone":
    "The store evaluates a condition for each record of a list, over the fields that the document lists. It has no value that another expression could use.",
  "expressions/macro-variable": "Without a name the expression has no way to read the element.",
  "expressions/not-a-list": "There are no elements to go through, so the expression could not be evaluated.",
  "expressions/shape-argument":
    "The shape reads fields that this record does not have, so the response could not be built.",
  "expressions/shape-refuses":
    "The block of the shape is evaluated with the argument in place of the parameter, and that has a mistake or becomes too large.",
  "expressions/operand":
    "The operator is not defined for these types, so each request that needs the value would fail.",
  "expressions/sign":
    "The operator is not defined for this type, so each request that needs the value would fail.",
  "expressions/several-callers":
    "The caller is a record of one resource or another, and only one of them has the field.",
  "expressions/never-equal":
    "Values of different types never compare as equal, so the condition would never hold, or always.",
  "expressions/not-a-condition":
    "The server can't decide by a value that is neither true nor false. It does not guess what counts as true.",
  "expressions/wrong-type": "The value would be rejected by the field or place that receives it, each time.",
  "expressions/not-one-of":
    "The field never has this value, so a comparison never holds and an assignment is always rejected.",
  "expressions/not-of-form":
    "The text is not a value of this type, so a comparison never holds and an assignment is always rejected.",
  "expressions/not-indexed": "The value has no elements, so the expression could not be evaluated.",
  "expressions/key-not-text":
    "Clients, schemas and exports need to know the members of a body. A computed name could be anything.",
  "expressions/duplicate-key":
    "A JSON object has one member of a name. Clients would receive one of the two values.",
  "expressions/forbidden-key":
    "Clients written in JavaScript could change the behaviour of all their objects by reading this member.",
};
