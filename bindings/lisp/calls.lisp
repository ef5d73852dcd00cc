;;;; Calls of libbrisk that interrupts cannot unwind. Ctrl-C or a timeout leaves a Lisp function at
;;;; any point, but in the middle of a Rust function that would corrupt memory.

(in-package :brisk)

(defmacro uninterrupted (&body body)
  "Evaluates BODY, which is short, with interrupts put off."
  #+sbcl `(sb-sys:without-interrupts ,@body)
  #-sbcl `(progn ,@body))

(defmacro with-cleanup (form &body cleanup)
  "As UNWIND-PROTECT, but interrupts are put off during CLEANUP."
  #+sbcl `(sb-sys:without-interrupts
            (unwind-protect (sb-sys:with-local-interrupts ,form) ,@cleanup))
  #-sbcl `(unwind-protect ,form ,@cleanup))

(defmacro with-cancel ((cancel) &body body)
  "Evaluates BODY with an object that ends the calls in whose options it is."
  `(let ((,cancel (cffi:null-pointer)))
     (with-cleanup (progn (uninterrupted (setf ,cancel (brisk-cancel-new))) ,@body)
       (brisk-cancel-free ,cancel))))

#+sb-thread
(defun start-away (function)
  "A thread that calls FUNCTION, or NIL if the system has no thread to spare."
  (handler-case (sb-thread:make-thread function :name "brisk")
    (error () nil)))

(defun call-away (cancel function)
  "Calls FUNCTION, in which libbrisk works for a while, in a thread of its own, which has no
interrupts, and returns its value. The caller waits. If an interrupt unwinds the caller, CANCEL ends
the work, and the caller is left when the thread has ended. Ctrl-C ends the work before a debugger or
handler sees it."
  (let ((value nil) (condition nil) (has-been-cancelled nil) (thread nil))
    (flet ((work ()
             (uninterrupted
               (handler-case (setf value (funcall function))
                 (error (error) (setf condition error)))))
           (end-at-once (interrupt)
             (declare (ignore interrupt))
             (setf has-been-cancelled t)
             (brisk-cancel-now cancel)
             (sb-thread:join-thread thread :default nil)))
      #-sb-thread (work)
      #+sb-thread
      (uninterrupted
        ;; SB-SYS:WITH-DEADLINE is for waits that can end half-way. These cannot.
        (sb-sys:with-deadline (:seconds nil :override t)
          (setf thread (start-away #'work))
          (if (not thread)
              (work)
              (unwind-protect
                   (handler-bind ((sb-sys:interactive-interrupt #'end-at-once))
                     (sb-sys:with-local-interrupts (sb-thread:join-thread thread :default nil)))
                (when (sb-thread:thread-alive-p thread)
                  (brisk-cancel-now cancel)
                  (sb-thread:join-thread thread :default nil)))))))
    (when has-been-cancelled
      (error 'brisk-error :operation "interrupt" :path nil :errno 4
                          :text "the call was cancelled by Ctrl-C"))
    (when condition
      (error condition))
    value))
