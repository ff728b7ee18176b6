// React renders the element, from React 18 on, and hears what becomes of a report; answers stay within the element.

import { createRoot } from "react-dom/client";
import { SottoSurvey, useSottoSurvey } from "sottovoce/react";

function Canteen() {
  const { ref, status, detail } = useSottoSurvey();
  return (
    <>
      <SottoSurvey
        ref={ref}
        collector="http://127.0.0.1:8000"
        survey="lunch-page"
        fingerprint="36b6e5840204e2a31d396bdc90af80ccc584ef3707d97e675073b34a62fca04e"
        maxEpsilon="6"
      />
      <p role="status">
        {status === "delivered" && `Thank you for answering ${detail.survey}.`}
        {status === "refused" && `It was not taken: ${detail.code}.`}
      </p>
    </>
  );
}

createRoot(document.querySelector("#app")!).render(<Canteen />);
