"""Intervals of shares and means that hold, method by method, and counts that no shares explain. Arrays alone."""
