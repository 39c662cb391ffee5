/**
 * Sample lines for an empty page: what to write into a part of the document, with buttons to copy
 * them and to open the document.
 */
import type { VNode } from "preact";
import { linkTo } from "../routing/links.ts";
import { t } from "../words/words.ts";
import { Code } from "./code.tsx";
import { samples } from "./samples.ts";

export function Sample({ of, part }: { readonly of: keyof typeof samples; readonly part: number }): VNode {
  return (
    <>
      <p>
        {t("parts.sample", { part })} <a href={linkTo(["document"])}>{t("parts.toDocument")}</a>
      </p>
      <div class="sample">
        <Code text={samples[of]} label={t("parts.sampleLabel")} />
      </div>
    </>
  );
}
