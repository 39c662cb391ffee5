/**
 * The caller of the request: none, a typed credential, or a stored record for which the service
 * signs a token.
 */
import type { VNode } from "preact";
import type { TryItFormsResponse } from "../../../../src/admin/api/requests/try-it.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { kindOfText } from "./hidden-text.ts";
import { t } from "../../words/words.ts";

type Schemes = TryItFormsResponse["schemes"];

export interface CallerInput {
  /** A scheme, or with the prefix `signed `, a token signed for it. */
  readonly as: string;
  readonly record?: string;
  readonly texts?: readonly string[];
}

const signedPrefix = "signed ";

/** A selected scheme, with the credential of the seed. */
export function callerAs(as: string, schemes: Schemes): CallerInput {
  const knownTexts = schemes.find(({ name }) => name === as)?.known;
  return knownTexts ? { as, texts: knownTexts } : { as };
}

/** The caller as it is sent. */
export function callerOf({ as, record, texts }: CallerInput, schemes: Schemes) {
  const scheme = schemes.find(({ name }) => as === name || as === signedPrefix + name);
  if (!scheme) return {};
  return {
    caller: as.startsWith(signedPrefix)
      ? { scheme: scheme.name, record: record ?? "" }
      : { scheme: scheme.name, texts: scheme.parts.map((_, at) => texts?.[at] ?? "") },
  };
}

export function CallerFields({
  caller,
  schemes,
  change,
}: {
  readonly caller: CallerInput;
  readonly schemes: Schemes;
  readonly change: (caller: CallerInput) => void;
}): VNode {
  const scheme = schemes.find(({ name }) => caller.as === name);
  const signingScheme = schemes.find(({ name }) => caller.as === signedPrefix + name);
  return (
    <fieldset>
      <legend>{t("tryIt.caller")}</legend>
      <SelectField
        label={t("tryIt.callAs")}
        value={caller.as}
        options={[
          ["", t("tryIt.noCaller")],
          ...schemes.flatMap(({ name, signs }) => [
            [name, t("tryIt.typed", { scheme: name })] as const,
            ...(signs === null
              ? []
              : [[signedPrefix + name, t("tryIt.signed", { scheme: name, resource: signs })] as const]),
          ]),
        ]}
        change={(as) => change(callerAs(as, schemes))}
      />
      {signingScheme && (
        <Field
          label={t("tryIt.record", { resource: signingScheme.signs ?? "" })}
          hint={t("tryIt.recordHint")}
        >
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              value={caller.record ?? ""}
              onInput={(event) => change({ ...caller, record: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      {scheme?.parts.map((part, at) => (
        <Field
          key={part}
          label={t(part === "user" || part === "password" ? `tryIt.${part}` : "tryIt.credential")}
          hint={at === 0 ? t(scheme.known ? "tryIt.knownHint" : "tryIt.credentialHint") : undefined}
        >
          {(control) => (
            <input
              {...control}
              {...kindOfText(part !== "user")}
              autocomplete="off"
              value={caller.texts?.[at] ?? ""}
              onInput={(event) =>
                change({
                  ...caller,
                  texts: scheme.parts.map((_, place) =>
                    place === at ? event.currentTarget.value : (caller.texts?.[place] ?? ""),
                  ),
                })
              }
            />
          )}
        </Field>
      ))}
    </fieldset>
  );
}
