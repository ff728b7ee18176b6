# sotto.R: counts, estimates and noisy reports of sottovoce, as data frames and objects of the package survey.
# Needs jsonlite; sotto_design needs survey, and haven for files of Stata and SPSS. See docs/tutorial-r.md.

# The shares of a tally, with the two probabilities from which they follow. `sotto estimate FILE --save-tally` writes it.
sotto_tally <- function(path) {
  tally <- jsonlite::fromJSON(path, simplifyVector = FALSE)
  if (!is.null(tally$survey$draw)) stop(path, ": each device answered some of the questions. Use sotto estimate.")
  rows <- lapply(tally$survey$questions, function(question) {
    answers <- sotto_answers(question)
    if (is.null(answers)) return(NULL)
    supported <- unlist(tally$support_counts[[question$id]])
    cbind(question = question$id, answers, n_reports = tally$n_reports, support_count = supported)
  })
  found <- do.call(rbind, rows)
  reported <- found$support_count / found$n_reports
  gap <- found$if_true - found$if_other
  found$share <- (reported - found$if_other) / gap
  found$standard_error <- sqrt(reported * (1 - reported) / found$n_reports) / gap
  found
}

# Estimates as objects that confint, SE, vcov and svycontrast of survey take, one a question.
# `sotto estimate .. --json --covariances > FILE` writes them. Their intervals are normal; those of sotto are not.
sotto_estimates <- function(path) {
  found <- jsonlite::fromJSON(path, simplifyVector = FALSE)
  by_question <- split(found$estimates, vapply(found$estimates, `[[`, "", "question"))
  covariances <- found$covariances
  names(covariances) <- vapply(covariances, `[[`, "", "question")
  lapply(by_question, function(rows) {
    told <- Filter(function(row) !is.null(row$share) || !is.null(row$mean), rows)
    if (!length(told)) return(NULL)
    value <- vapply(told, function(row) if (is.null(row$share)) row$mean else row$share, 0)
    of <- covariances[[told[[1]]$question]]
    if (is.null(of) && length(told) > 1) stop(path, ": has no covariances. Write it with --json --covariances.")
    variance <- if (is.null(of)) matrix(told[[1]]$standard_error^2) else matrix(unlist(of$matrix), length(of$answers))
    answers <- vapply(told, function(row) if (is.null(row$answer)) "mean" else row$answer, "")
    structure(value, names = answers, var = `dimnames<-`(variance, list(answers, answers)),
              statistic = if (is.null(told[[1]]$share)) "mean" else "share", class = "svystat")
  })
}

# A design of survey. Its variables are unbiased: the mean of paid_yes is the share of yes, and any linear statistic
# (svymean, svytotal, svyby) has the standard error of sample and noise together. `reports`: a file of
# `sotto export --labels`, or a data frame; `tally`: a file of the same survey. More arguments go to svydesign.
sotto_design <- function(reports, tally, ids = ~1, ...) {
  if (is.character(reports)) reports <- sotto_read(reports)
  survey <- jsonlite::fromJSON(tally, simplifyVector = FALSE)$survey
  for (question in survey$questions) {
    answers <- sotto_answers(question)
    if (question$type == "number") reports[[question$id]] <- reports[[sotto_column(reports, question$id)]]
    for (at in seq_len(NROW(answers))) {
      answer <- answers$answer[at]
      one <- if (question$mechanism$name == "subset") paste0(question$id, ":", answer) else question$id
      said <- sotto_words(reports[[sotto_column(reports, one)]])
      supports <- said == (if (question$mechanism$name == "subset") "yes" else answer)
      name <- paste0(question$id, "_", make.names(answer))
      reports[[name]] <- (supports - answers$if_other[at]) / (answers$if_true[at] - answers$if_other[at])
    }
  }
  arguments <- list(ids = ids, data = reports, ...)
  if (is.null(arguments$weights) && is.null(arguments$fpc) && is.null(arguments$probs)) arguments$weights <- ~1
  do.call(survey::svydesign, arguments)
}

# Reports from .csv, .dta, .sav or .parquet, options as their texts.
sotto_read <- function(path) {
  ending <- tolower(sub(".*[.]", "", path))
  found <- switch(ending,
    csv = utils::read.csv(path, check.names = FALSE),
    dta = haven::read_dta(path), sav = haven::read_sav(path),
    parquet = arrow::read_parquet(path),
    stop(path, " must end in .csv, .dta, .sav or .parquet."))
  found <- as.data.frame(found)
  found[] <- lapply(found, function(column) if (inherits(column, "haven_labelled")) haven::as_factor(column) else column)
  found
}

# The answers of a question, and the probability that a report speaks for each: if it is true, and if another is.
sotto_answers <- function(question) {
  mechanism <- question$mechanism
  known <- c("name", "threshold_if_true", "threshold_if_other", "weight")
  is_known <- mechanism$name %in% c("warner", "k-ary", "subset") && all(names(mechanism) %in% known)
  if (question$type == "number") return(NULL)
  if (!is_known) {
    warning(question$id, ": left out. This script doesn't know all of its mechanism; sotto estimate does.")
    return(NULL)
  }
  if_true <- mechanism$threshold_if_true / 2^32
  if (mechanism$name == "warner") {
    return(data.frame(answer = "yes", if_true = if_true, if_other = mechanism$threshold_if_other / 2^32))
  }
  options <- unlist(question$options)
  weight <- if (is.null(mechanism$weight)) 1 else mechanism$weight    # so many options a report names
  others <- length(options) - 1
  if_other <- if_true * (weight - 1) / others + (1 - if_true) * weight / others
  data.frame(answer = options, if_true = if_true, if_other = if_other)
}

# The name of the column with the reports: files write set:a as set:a, set.a or set_a.
sotto_column <- function(reports, name) {
  plain <- function(text) gsub("[^A-Za-z0-9]", "_", text)
  found <- which(plain(names(reports)) == plain(paste0("reported_", name)))
  if (length(found) != 1) stop("The reports have no column reported_", name, ", or several.")
  found
}

sotto_words <- function(column) {
  text <- as.character(column)
  ifelse(tolower(text) %in% c("true", "1"), "yes", ifelse(tolower(text) %in% c("false", "0"), "no", text))
}
