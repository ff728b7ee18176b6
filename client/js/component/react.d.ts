/** `<sotto-survey>` in JSX, for React 19: `import type {} from "sottovoce/component/react"`, once. */

import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { SottoAttributes, SottoEventMap, SottoSurvey } from "./index.js";

type SottoHandlers = { [Name in keyof SottoEventMap as `on${Name}`]?: (event: SottoEventMap[Name]) => void };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "sotto-survey": DetailedHTMLProps<HTMLAttributes<SottoSurvey>, SottoSurvey> & SottoAttributes & SottoHandlers;
    }
  }
}
