/**
 * Part 7: the payload of a row is a shape over `error`, or a shape of the record that the error is
 * about. A value is not such a record.
 */
import type { Check } from "../check.ts";

export const shapeOfRecord: Check = ({ errors, shapes, resources }, reporter) => {
  const isValue = (name: string) =>
    resources.some((resource) => resource.name === name && resource.identifier.kind === "none");
  for (const { payload, payloadAt } of errors.rows) {
    const shape = shapes.find((shape) => shape.name === payload);
    if (!payloadAt || shape?.of === undefined || !isValue(shape.of)) continue;
    const related = [{ position: shape.position, message: "The shape is defined here." }];
    reporter.report("errors/shape-of-record", payloadAt, { shape: shape.name, of: shape.of }, related);
  }
};
