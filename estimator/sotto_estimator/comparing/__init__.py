"""Groups, surveys and waves held against each other."""
