// Whether this browser can do what the page needs: in words that every browser reads, before all other scripts.

(function () {
  function tell() {
    document.getElementById("too-old").hidden = false;
    var loading = document.getElementById("loading");
    if (loading) loading.hidden = true;
  }

  var hasModules = "noModule" in document.createElement("script");
  var hasWords = typeof Intl === "object" && "ListFormat" in Intl && "PluralRules" in Intl;
  if (!hasModules || !hasWords || !("replaceChildren" in document)) tell();
  // what a script is written in that a browser does not read is an error of its own
  window.addEventListener("error", function (event) {
    if (event.error instanceof SyntaxError) tell();
  });
})();
