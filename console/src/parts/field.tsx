/**
 * A form field: its label, its control, its hint and its error, which screen readers read together.
 */
import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";
import { t } from "../words/words.ts";

/** The attributes that connect a control with its field: `<input {...control} />`. */
export interface ControlProperties {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": "true" | undefined;
  readonly required: boolean;
}

export function Field({
  label,
  hint,
  error,
  isRequired = false,
  children,
}: {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  readonly children: (control: ControlProperties) => ComponentChildren;
}): VNode {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isRequired && <span class="muted"> {t("parts.required")}</span>}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error ? "true" : undefined,
        required: isRequired,
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** A field whose value is one of some options. */
export function SelectField({
  label,
  hint,
  value,
  options,
  change,
}: {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly change: (value: string) => void;
}): VNode {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => change(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
