// React renders the element, and hears what becomes of a report; answers stay within the element.

import { useState } from "react";
import { createRoot } from "react-dom/client";
import "sottovoce/component";
import type {} from "sottovoce/component/react";

function Canteen() {
  const [said, setSaid] = useState("");
  return (
    <>
      <sotto-survey
        collector="http://127.0.0.1:8000"
        survey="lunch-page"
        fingerprint="36b6e5840204e2a31d396bdc90af80ccc584ef3707d97e675073b34a62fca04e"
        max-epsilon="6"
        onsotto-delivered={({ detail }) => setSaid(`Thank you for answering ${detail.survey}.`)}
        onsotto-refused={({ detail }) => setSaid(`It was not taken: ${detail.code}.`)}
      />
      <p role="status">{said}</p>
    </>
  );
}

createRoot(document.querySelector("#app")!).render(<Canteen />);
