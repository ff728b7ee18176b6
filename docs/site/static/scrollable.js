// What is wider than the page scrolls sideways: by the keyboard too.
for (const block of document.querySelectorAll("pre, .table-wrapper")) block.tabIndex = 0;
